/** Keeps a comment below what GitHub takes, whatever there is to say: what is too much is left out by whole lines, and counted. */

/** GitHub takes 65,536 characters. */
export const MAX_BODY = 65_000;

/** Lines that give way, the last ones first. */
export interface Listing {
  lines: readonly string[];
  /** How many more there would be. */
  beyond: number;
  /** Said in the place of what was left out. */
  more: (left: number) => string;
}

/** Text is kept whole or left out. */
export type Part = string | Listing;

const TOO_MUCH = '\n_More than one comment can hold: the rest was left out._';
const CUT_SIZE = TOO_MUCH.length + 1;

/** The first `most` of many things as lines; the others are counted, and cost nothing. */
export function listing<T>(
  items: readonly T[],
  { most, line, more }: { most: number; line: (item: T) => string; more: (left: number) => string },
): Listing {
  return { lines: items.slice(0, most).map(line), beyond: Math.max(0, items.length - most), more };
}

/** The parts as lines. Where even what can't give way is too much, the last parts go. */
export function composeBody(parts: readonly Part[], most = MAX_BODY): string {
  const kept = withinRoom(parts, most);
  const isCut = kept.length < parts.length;
  let room = most - sum(kept.map(leastOf)) - (isCut ? CUT_SIZE : 0);
  const texts = kept.flatMap((part) => {
    if (typeof part === 'string') return [part];
    const taken = take(part, room + leastOf(part));
    room -= sizeOf(taken) - leastOf(part);
    return taken;
  });
  if (isCut) texts.push(TOO_MUCH);
  return texts.join('\n').trimEnd();
}

function withinRoom(parts: readonly Part[], most: number): readonly Part[] {
  if (sum(parts.map(leastOf)) <= most) return parts;
  let room = most - CUT_SIZE;
  const first = parts.findIndex((part) => {
    room -= leastOf(part);
    return room < 0;
  });
  return parts.slice(0, first);
}

/** What a part takes at least: of a listing, the word about all of it. */
function leastOf(part: Part): number {
  return typeof part === 'string' ? part.length + 1 : sizeOf(shortest(part));
}

function shortest({ lines, beyond, more }: Listing): string[] {
  return lines.length + beyond === 0 ? [] : [more(lines.length + beyond)];
}

function take({ lines, beyond, more }: Listing, room: number): readonly string[] {
  if (beyond === 0 && sizeOf(lines) <= room) return lines;
  const taken: string[] = [];
  // Its own number is the longest that can be left out.
  let left = room - more(lines.length + beyond).length - 1;
  for (const line of lines) {
    left -= line.length + 1;
    if (left < 0) break;
    taken.push(line);
  }
  return [...taken, more(lines.length - taken.length + beyond)];
}

function sizeOf(texts: readonly string[]): number {
  return sum(texts.map((text) => text.length + 1));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
