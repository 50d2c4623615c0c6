/**
 * The lines of an issue's body that say what it waits for: `Depends on #12`, `Blocked by: acme/data#7 and #9`. Only the
 * body's own text speaks: not code, quotes, comments or raw HTML. Pure.
 */
import type { Token } from 'markdown-it';
import { normalized, readBody } from '../markdown/reader.ts';

/** Stands for what is no text, and is no word either. */
const MARK = '\uFFFC';

const MOST = 50;

/** As in a task list, too, whether ticked or not: what counts is the other issue's own state. */
const KEYWORD = /^(?:\[[ x]\] )?(?:depends on|blocked by)\b ?:? ?/i;
const NAME = String.raw`[A-Za-z\d][\w-]{0,99}/[\w.-]{1,100}`;
/** GitHub's own spellings. A longer word, a range or a version that begins like one is none. */
const REFERENCE = new RegExp(
  String.raw`(?:(?<named>${NAME})?#|https?://[^\s/]{1,255}/(?<linked>${NAME})/issues/)(?<number>[1-9]\d{0,8})(?![\w/#?-]|\.\d)`,
  'y',
);
const SEPARATOR = / ?, ?(?:and )?| and | /iy;

/** `#12`, or `owner/name#12` where the line names a repository, in the order of the text, each once; at most 50. */
export function dependsOnLines(body: string | null): readonly string[] {
  const named = new Map<string, string>();
  for (const reference of linesOf(body ?? '').flatMap(referencesOf)) {
    const key = reference.toLowerCase();
    if (named.size < MOST && !named.has(key)) named.set(key, reference);
  }
  return [...named.values()];
}

function linesOf(body: string): string[] {
  // Most bodies say nothing of the kind, and are not read further.
  if (!/depends|blocked/i.test(body)) return [];
  const { blocks, inline } = readBody(normalized(body));
  return blocks
    .filter(({ isQuoted }) => !isQuoted)
    .flatMap(({ content }) => inline(content).map(textOf).join('').split('\n'));
}

function textOf({ type, content }: Token): string {
  switch (type) {
    case 'text':
    case 'text_special':
      return content;
    case 'softbreak':
      return '\n';
    case 'code_inline':
    case 'image':
      return MARK;
    case 'link_open':
    case 'link_close':
      return '';
    default:
      return ' ';
  }
}

/** What stands first after the keyword decides: any other word there makes the line prose. */
function referencesOf(line: string): string[] {
  const text = line.replace(/\s+/g, ' ').trim();
  const found: string[] = [];
  let at = KEYWORD.exec(text)?.[0].length ?? text.length;
  for (let match = matchAt(REFERENCE, text, at); match !== null; match = matchAt(REFERENCE, text, at)) {
    const { named, linked, number } = match.groups ?? {};
    found.push(`${named ?? linked ?? ''}#${number}`);
    at = REFERENCE.lastIndex;
    at += matchAt(SEPARATOR, text, at)?.[0].length ?? text.length;
  }
  return found;
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}
