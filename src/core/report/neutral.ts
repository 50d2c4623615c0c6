/**
 * Makes text of people, programs and files harmless in a comment: it can't mention, refer, link, show an image, be HTML, or
 * close what it stands in; what is invisible or turns the reading direction is shown as `�`. GitHub looks for none of that in code,
 * so whatever is not a plain word becomes code. Every body of ours takes such text through here. Pure.
 */
import { visible } from './text.ts';

const MAX_CODE = 200;
const MAX_PROSE = 1_000;
/** Backticks in a row beyond which a log's own are told apart from ours by another sign rather than by a longer fence. */
const MAX_FENCE = 40;

/** ANSI escapes: CSI, OSC up to its end, and the short ones. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const ANSI = /\u001B(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001B]{0,4096}(?:\u0007|\u001B\\)|[ -/]*[0-~])/g;
/** A word of letters with the usual signs around it: nothing that GitHub makes more of. */
const WORD = /^[("'‘“]*(?:\p{L}+(?:['’-]\p{L}+)*|\d{1,6}(?:[.:]\d{1,6})?)?[)"'’”,.;:!?…]*$/u;
const STOP = /[,;:.!?]$/;
/** GitHub links what looks like a commit's id, or like an issue's. */
const COMMIT = /[0-9a-f]{7,}/i;
const ISSUE = /GH-\d/i;
const LOGIN = /^[A-Za-z0-9](?:[A-Za-z0-9_-]{0,98}[A-Za-z0-9])?(?:\[bot\])?$/;

/** As inline code on one line, of at most `most` characters. */
export function code(text: string, most = MAX_CODE): string {
  const flat = flatten(text, most) || ' ';
  const fence = '`'.repeat(longestRun(flat) + 1);
  const pad = flat.startsWith('`') || flat.endsWith('`') ? ' ' : '';
  return `${fence}${pad}${flat}${pad}${fence}`;
}

/** As inline code of a table's cell: there a bar would end it even in code. */
export function cell(text: string, most = MAX_CODE): string {
  return code(text.replaceAll('|', '¦'), most);
}

/** As a sentence: plain words stay, what could be more than a word becomes code; code in backticks stays code. */
export function prose(text: string): string {
  const parts = flatten(text, MAX_PROSE).split(/(`[^`]+`)/);
  const said = parts.map((part, index) => (index % 2 === 1 ? code(part.slice(1, -1), MAX_PROSE) : words(part)));
  // Two pieces of code side by side would share their backticks.
  return said.reduce((text, next) => `${text}${text.endsWith('`') && next.startsWith('`') ? ' ' : ''}${next}`, '');
}

/** A login without notifying anybody; in a table, too. */
export function person(login: string | null): string {
  if (login === null || login === 'unknown') return 'someone whose name GitHub did not tell';
  return LOGIN.test(login) && !COMMIT.test(login) && !ISSUE.test(login) ? `**${login}**` : cell(login);
}

/** Output as a block of code, its last `most` characters at whole lines; escapes of terminals go. */
export function fenced(text: string, most: number): string {
  const seen = readable(text.slice(-4 * most));
  const tail = seen.length > most ? seen.slice(-most).replace(/^[^\n]*\n/, '') : seen;
  const fence = '`'.repeat(Math.max(3, longestRun(tail) + 1));
  return `${fence}text\n${tail}\n${fence}`;
}

/** For a label in quotes of a Mermaid graph, where only these have no meaning. */
export function label(text: string): string {
  const flat = flatten(text, 60);
  return flat.replace(/[^\p{L}\p{N} ._-]/gu, '�') || ' ';
}

/** Of an address that is linked: null unless it is one that can't break out of its link, nor be another one (`&commat;`). */
export function address(url: string | null): string | null {
  return url !== null && /^https?:\/\/[\w.~:/?#@!$&*+,=%-]{1,500}$/.test(url) ? url : null;
}

function readable(text: string): string {
  const lines = text.replace(ANSI, '').replace(/\r\n?/g, '\n').split('\n');
  const plain = lines.map((line) => visible(line.replaceAll('\t', '    ')).trimEnd());
  const first = plain.findIndex((line) => line !== '');
  const joined = first === -1 ? '' : plain.slice(first, plain.findLastIndex((line) => line !== '') + 1).join('\n');
  return longestRun(joined) > MAX_FENCE ? joined.replaceAll('`', 'ˋ') : joined;
}

function flatten(text: string, most: number): string {
  const start = text.slice(0, 4 * most);
  const flat = visible(start.replace(/\s+/g, ' ')).trim();
  const characters = Array.from(flat);
  if (characters.length <= most && start.length === text.length) return flat;
  return `${characters.slice(0, most - 1).join('')}…`;
}

function words(text: string): string {
  const runs: { plain: boolean; words: string[] }[] = [];
  for (const word of text.split(' ')) {
    const plain = WORD.test(word) && !COMMIT.test(word);
    const last = runs.at(-1);
    if (last?.plain === plain && (plain || !STOP.test(last.words.at(-1) ?? ''))) last.words.push(word);
    else runs.push({ plain, words: [word] });
  }
  return runs.map((run) => (run.plain ? run.words.join(' ') : codeOfSentence(run.words.join(' ')))).join(' ');
}

/** The sentence's own sign after it is no part of it. */
function codeOfSentence(text: string): string {
  const own = text.replace(STOP, '');
  return own === '' ? code(text, MAX_PROSE) : `${code(own, MAX_PROSE)}${text.slice(own.length)}`;
}

function longestRun(text: string): number {
  return (text.match(/`+/g) ?? []).reduce((longest, { length }) => Math.max(longest, length), 0);
}
