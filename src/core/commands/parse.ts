/**
 * The commands of a comment: lines of its own text that start with `/task` or `/batch`, or with `/bot task` where the prefix is `bot`.
 * What stands in a list, a quote, a table, a heading of `#`, code or HTML is none. Pure, never throws, and takes time in proportion to
 * the body's length.
 */
import { normalized, readBody, type TextBlock, textLines } from '../markdown/reader.ts';
import { MAX_COMMANDS, type SaidCommands } from './said.ts';
import type { CommandWord } from './usage.ts';
import { sayingOf } from './verbs.ts';

const MAX_LINE = 200;

interface Candidate {
  line: string;
  of: CommandWord;
  /** What follows the command, trimmed. */
  rest: string;
}

/** @param prefix of commands in this repository; empty: none */
export function parseComment(body: string, prefix: string): SaidCommands {
  const said = candidatesOf(body, prefix);
  return {
    lines: said.slice(0, MAX_COMMANDS).map(({ line, of, rest }) => ({
      line: shortened(line),
      said: sayingOf(of, rest),
    })),
    dropped: Math.max(0, said.length - MAX_COMMANDS),
  };
}

/** Whether a line begins as a command does; a look at the raw text, which may be code or a quote. */
export function mayCommand(body: string, prefix: string): boolean {
  return commandPattern(prefix, 'm').test(body.replace(/^\uFEFF/, ''));
}

function candidatesOf(body: string, prefix: string): Candidate[] {
  // Most comments command nothing, and are not read further.
  if (!mayCommand(body, prefix)) return [];
  const { lines, blocks, inline } = readBody(normalized(body));
  const pattern = commandPattern(prefix, '');
  return blocks.filter(mayHoldCommands).flatMap(({ lines: [first, end] }) => {
    const own = lines.slice(first, end);
    const found = own.map((line) => candidateOf(line, pattern));
    if (found.every((candidate) => candidate === null)) return [];
    const text = own.join('\n');
    const asText = textLines(text, inline(text));
    return found.flatMap((candidate, i) => (candidate !== null && asText.has(i) ? [candidate] : []));
  });
}

/** People sign with a line of dashes below, which makes a heading of their text. */
function mayHoldCommands({ type, depth }: TextBlock): boolean {
  return depth === 0 && type !== 'heading';
}

/** Up to three spaces indent no line: CommonMark's own measure. */
function commandPattern(prefix: string, flags: string): RegExp {
  const start = prefix === '' ? '' : `${prefix.replace(/[^\w]/g, String.raw`\$&`)}[ \\t]+`;
  return new RegExp(String.raw`^ {0,3}/${start}(task|batch)(?![^ \t\r\n])`, flags);
}

function candidateOf(line: string, pattern: RegExp): Candidate | null {
  const match = pattern.exec(line);
  if (match === null) return null;
  return { line: line.trim(), of: match[1] as CommandWord, rest: line.slice(match[0].length).trim() };
}

function shortened(line: string): string {
  const characters = Array.from(line.slice(0, 2 * MAX_LINE + 2));
  return characters.length > MAX_LINE ? `${characters.slice(0, MAX_LINE - 1).join('')}…` : line;
}
