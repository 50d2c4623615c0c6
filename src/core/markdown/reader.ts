/**
 * What Markdown says is text in a body that a person wrote, read once for everybody: paragraphs and headings, what is around them, and
 * where a line of theirs starts. CommonMark by markdown-it, and GitHub's tables, whose cells are left out. Pure.
 */
import markdownIt, { type StateBlock, type StateInline, type Token } from 'markdown-it';

/** Text between the blocks that surround it. */
export interface TextBlock {
  /** `heading`: `# …`; `underlined`: a paragraph that a line of `=` or `-` makes a heading. */
  type: 'paragraph' | 'heading' | 'underlined';
  /** How many lists, items, quotes and the like it is in. */
  depth: number;
  isQuoted: boolean;
  /** Its lines, counted from 0; the last one is beyond it. */
  lines: readonly [first: number, end: number];
  /** Without what the blocks around it put before each line. */
  content: string;
}

export interface Body {
  lines: readonly string[];
  blocks: readonly TextBlock[];
  /** The inline tokens of a text that stands in this body, whose link definitions hold. */
  inline(text: string): Token[];
}

/** Lists count two, quotes one. What is deeper is no text: each level of quotes looks at all the lines that go on with it. */
const MAX_DEPTH = 12;

/**
 * How many characters may be looked at for each that there is, to find where blocks end. Nobody's text comes near; but markdown-it looks
 * through all the lines that could go on with a quote, even if it ends at once, and then again at the next quote.
 */
const LOOKS = 6;
/** What a look at a line costs besides its characters. */
const LOOK = 16;
/** For short bodies. */
const LEAST_LOOKS = 20_000;

class TooManyLooks extends Error {}

/** Of brackets in brackets, each of which may cost as much for every bracket; above what `MAX_DEPTH` leaves to blocks. */
const MAX_NESTING = MAX_DEPTH + 2;

// The types don't know the option.
const MARKDOWN = markdownIt('commonmark', { html: true, ...{ maxNesting: MAX_NESTING } }).enable('table');
MARKDOWN.block.State = class extends MARKDOWN.block.State {
  #isInCell = false;

  /** Leaves cells out, which nobody reads: a few rows that are too short would be filled up with 65,536 of them. */
  override push(type: string, tag: string, nesting: Token['nesting']): Token {
    const isCell = type.startsWith('td_') || type.startsWith('th_');
    if (isCell) this.#isInCell = nesting > 0;
    return isCell || this.#isInCell ? new this.Token(type, tag, nesting) : super.push(type, tag, nesting);
  }
};
MARKDOWN.block.ruler.before('table', 'too_deep', tooDeep);
MARKDOWN.block.ruler.before('table', 'looks', countLook, { alt: ['paragraph', 'reference', 'blockquote', 'list'] });
// The rule that ends lines leaves out where it did; the one for `\` would end some on its own.
MARKDOWN.inline.ruler.at('newline', lineEnd);
MARKDOWN.inline.ruler.before('escape', 'backslash_break', backslashBreak);

/** As CommonMark takes a text in: line endings are `\n`, a byte order mark is none of it, NUL is U+FFFD. */
export function normalized(source: string): string {
  return source
    .replace(/^\uFEFF/, '')
    .replace(/\r\n?/g, '\n')
    .replaceAll('\0', '\uFFFD');
}

/**
 * What would take too long to read is left out, with all that follows it.
 * @param source as `normalized` gives it
 */
export function readBody(source: string): Body {
  const lines = source.split('\n');
  const env = { looks: LEAST_LOOKS + LOOKS * (source.length + LOOK * lines.length) };
  const tokens: Token[] = [];
  try {
    MARKDOWN.block.parse(source, MARKDOWN, env, tokens);
  } catch (error) {
    if (!(error instanceof TooManyLooks)) throw error;
  }
  return { lines, blocks: blocksOf(tokens), inline };

  function inline(text: string): Token[] {
    const children: Token[] = [];
    MARKDOWN.inline.parse(text, MARKDOWN, env, children);
    return children;
  }
}

/** Which lines of a text, counted from 0, start as text: not amid code, an HTML comment or tag, a link or an image. */
export function textLines(text: string, tokens: readonly Token[]): ReadonlySet<number> {
  const starts = startsOf(tokens);
  const numbers = new Set<number>();
  let offset = 0;
  for (const [number, line] of text.split('\n').entries()) {
    if (starts.has(offset)) numbers.add(number);
    offset += line.length + 1;
  }
  return numbers;
}

function startsOf(tokens: readonly Token[]): ReadonlySet<number> {
  const starts = new Set([0]);
  let links = 0;
  for (const token of tokens) {
    if (token.type.startsWith('link_')) links += token.nesting;
    if (token.type === 'softbreak' && links === 0) starts.add(token.meta.next);
  }
  return starts;
}

function blocksOf(tokens: readonly Token[]): TextBlock[] {
  let quotes = 0;
  return tokens.flatMap((token, i) => {
    if (token.type.startsWith('blockquote_')) quotes += token.nesting;
    if (token.type !== 'inline' || token.map === null) return [];
    return {
      type: typeOf(tokens[i - 1]),
      depth: token.level - 1,
      isQuoted: quotes > 0,
      lines: token.map,
      content: token.content,
    };
  });
}

function typeOf(opening: Token | undefined): TextBlock['type'] {
  if (opening?.type !== 'heading_open') return 'paragraph';
  return opening.markup.startsWith('#') ? 'heading' : 'underlined';
}

/**
 * Passes over what is too deep, up to a line that is certain to be outside: after an empty one, and indented less. markdown-it's own
 * limit would pass over the rest of the body.
 */
function tooDeep(state: StateBlock, startLine: number, endLine: number): boolean {
  if (state.level < MAX_DEPTH) return false;
  const isOutside = (line: number) =>
    state.isEmpty(line - 1) && !state.isEmpty(line) && (state.sCount[line] ?? 0) < state.blkIndent;
  state.line = startLine + 1;
  while (state.line < endLine && !isOutside(state.line)) state.line += 1;
  return true;
}

/** Before each look at a line to see what begins there. Finds nothing. */
function countLook({ env, bMarks, eMarks }: StateBlock, line: number): boolean {
  env.looks -= LOOK + (eMarks[line] ?? 0) - (bMarks[line] ?? 0);
  if (env.looks < 0) throw new TooManyLooks();
  return false;
}

/** Every line's end, hard or soft, with the offset at which the next line starts. */
function lineEnd(state: StateInline, silent: boolean): boolean {
  if (state.src[state.pos] !== '\n') return false;
  state.pos += 1;
  if (!silent) state.push('softbreak', 'br', 0).meta = { next: state.pos };
  return true;
}

/** A `\` at a line's end breaks it, and is no text. */
function backslashBreak(state: StateInline): boolean {
  if (!state.src.startsWith('\\\n', state.pos)) return false;
  state.pos += 1;
  return true;
}
