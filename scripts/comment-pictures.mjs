/**
 * Draws the pictures of docs/comments.md from the Markdown that stands there: `node scripts/comment-pictures.mjs MERMAID`.
 *
 * Needs a Chromium (`apt-get install chromium`; another one: CHROMIUM=/path) and Mermaid's browser bundle, which is no dependency of
 * the project: `npm install --prefix /tmp/mermaid mermaid@11`, then MERMAID is /tmp/mermaid/node_modules/mermaid/dist/mermaid.min.js.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import markdownIt from 'markdown-it';

const WIDTH = 860;
const TALLEST = 2_400;
const CHROMIUM = process.env.CHROMIUM ?? 'chromium';
const docs = fileURLToPath(new URL('../docs', import.meta.url));
const [mermaid] = process.argv.slice(2);
if (mermaid === undefined) throw new Error('usage: node scripts/comment-pictures.mjs PATH_OF_mermaid.min.js');

const STYLE = `
body { margin: 12px; font: 14px/1.5 -apple-system, "Segoe UI", "Liberation Sans", Helvetica, Arial, sans-serif; color: #1f2328; background: #fff }
.comment { border: 1px solid #d0d7de; border-radius: 6px; overflow: hidden }
.head { background: #f6f8fa; border-bottom: 1px solid #d0d7de; padding: 8px 16px }
.bot { border: 1px solid #d0d7de; border-radius: 2em; padding: 0 6px; font-size: 12px; color: #59636e }
.body { padding: 16px }
.body > :first-child { margin-top: 0 } .body > :last-child { margin-bottom: 0 }
p, ul, table, pre, blockquote, details { margin: 0 0 16px }
ul { padding-left: 2em }
code { font: 85% "DejaVu Sans Mono", ui-monospace, monospace; background: #818b981f; padding: .2em .4em; border-radius: 6px }
pre { background: #f6f8fa; padding: 16px; border-radius: 6px; overflow: hidden; font-size: 85% }
pre code { background: none; padding: 0; font-size: 100% }
pre.mermaid { background: none; text-align: center; border: 1px solid #d0d7de }
blockquote { border-left: .25em solid #d0d7de; padding: 0 1em; color: #59636e } blockquote p { margin: 0 }
table { border-collapse: collapse; font-size: 13px } th, td { border: 1px solid #d0d7de; padding: 5px 10px }
tr:nth-child(2n) td { background: #f6f8fa }
a { color: #0969da; text-decoration: underline }
summary { cursor: pointer }
`;

const guide = readFileSync(join(docs, 'comments.md'), 'utf8');
const examples = guide.matchAll(/^<!-- example: (\w+) -->\n\n`````markdown\n([\s\S]*?)\n`````$/gm);
const place = mkdtempSync(join(tmpdir(), 'comment-pictures-'));
try {
  for (const [, name, body] of examples) draw(name, body);
} finally {
  rmSync(place, { recursive: true, force: true });
}

/** Twice: how tall it is shows only once it is laid out. */
function draw(name, body) {
  const page = join(place, `${name}.html`);
  writeFileSync(page, pageOf(body));
  const laidOut = chromium(page, ['--dump-dom', `--window-size=${WIDTH},${TALLEST}`]).toString();
  const height = Number(/data-height="(\d+)"/.exec(laidOut)?.[1] ?? TALLEST);
  const picture = join(docs, 'images', `comment-${name}.png`);
  chromium(page, [`--screenshot=${picture}`, `--window-size=${WIDTH},${height}`]);
  console.log(`${picture}: ${WIDTH}x${height}`);
}

function chromium(page, options) {
  const quiet = ['--headless', '--no-sandbox', '--disable-gpu', '--hide-scrollbars', '--virtual-time-budget=10000'];
  const args = [...quiet, `--user-data-dir=${join(place, 'profile')}`, ...options, pathToFileURL(page).href];
  return execFileSync(CHROMIUM, args, { stdio: ['ignore', 'pipe', 'ignore'], maxBuffer: 64 * 1024 * 1024 });
}

function pageOf(body) {
  const markdown = markdownIt({ html: true });
  const fence = markdown.renderer.rules.fence;
  markdown.renderer.rules.fence = (tokens, index, ...rest) => {
    const { info, content } = tokens[index];
    if (info !== 'mermaid') return fence(tokens, index, ...rest);
    return `<pre class="mermaid">${markdown.utils.escapeHtml(content)}</pre>`;
  };
  const html = markdown.render(body).replaceAll('<details>', '<details open>');
  return `<!doctype html><meta charset="utf-8"><style>${STYLE}</style>
<div class="comment"><div class="head"><b>standdown</b> <span class="bot">bot</span></div><div class="body">${html}</div></div>
<script src="${pathToFileURL(mermaid).href}"></script>
<script>
  mermaid.initialize({ startOnLoad: false });
  mermaid.run().then(() => {
    document.body.dataset.height = Math.ceil(document.querySelector('.comment').getBoundingClientRect().bottom + 12);
  });
</script>`;
}
