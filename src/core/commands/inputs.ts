/**
 * `key=value …` of a command. A value with spaces stands in quotes: `"…"`, where `\"` and `\\` are `"` and `\`, or `'…'`. Nothing else
 * has a meaning: no variable, pattern or command is expanded.
 */
import { name } from '../documents/fields.ts';
import { describe } from '../documents/problem.ts';

export type ParsedInputs = { value: Readonly<Record<string, string>> } | { problem: string };

interface Input {
  /** All of it, as it was written. */
  word: string;
  key: string;
  /** Without its quotes; null: there is no `=`. */
  value: string | null;
  isQuoted: boolean;
  /** What stands after the value without a space between, and is no part of it. */
  left: string;
  end: number;
}

const KEY = /^[A-Za-z_][A-Za-z0-9_-]{0,99}$/;
const KEYS = 'a key has letters, digits, _ and -, begins with a letter or _, and has at most 100 characters';
const INPUT =
  /[ \t]*(?<word>(?<key>[^ \t="']*)(?:=(?:"(?<double>(?:[^"\\]|\\.)*)"|'(?<single>[^']*)'|(?<bare>[^ \t"']*)))?(?<left>[^ \t]*))/suy;
/** What nobody sees, or what makes its surroundings look different. U+FFFD stands where there was a NUL. */
const UNSEEN = /(?!\t)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\uFFFD]/u;

/** @param text trimmed */
export function parseInputs(text: string): ParsedInputs {
  const unseen = UNSEEN.exec(text)?.[0];
  if (unseen !== undefined)
    return { problem: `there is a character that can't be seen (${codePoint(unseen)}): leave it out` };
  // A Map, so that no key can be one that objects have by themselves.
  const inputs = new Map<string, string>();
  for (let at = 0; at < text.length; ) {
    const input = inputAt(text, at);
    const problem = problemOf(input, inputs.has(input.key));
    if (problem !== null) return { problem };
    inputs.set(input.key, input.value ?? '');
    at = input.end;
  }
  return { value: Object.fromEntries(inputs) };
}

function inputAt(text: string, at: number): Input {
  INPUT.lastIndex = at;
  const { word = '', key = '', double, single, bare, left = '' } = INPUT.exec(text)?.groups ?? {};
  const quoted = double?.replace(/\\(["\\])/g, '$1') ?? single;
  const value = quoted ?? bare ?? null;
  return { word, key, value, isQuoted: quoted !== undefined, left, end: INPUT.lastIndex };
}

function problemOf({ word, key, value, isQuoted, left }: Input, isKnown: boolean): string | null {
  if (value === null) return `${describe(word)} is no input: an input is key=value`;
  if (!KEY.test(key)) return `${describe(key)} can't be the key of an input: ${KEYS}`;
  if (!name.safeParse(key).success) return `${describe(key)} is reserved and can't be the key of an input`;
  if (isKnown) return `the input ${describe(key)} is given twice: give it once`;
  if (left === '') return null;
  if (isQuoted) return `after the value of ${describe(key)} there must be a space: found ${describe(left)}`;
  return value === ''
    ? `the value of ${describe(key)} begins with a quote that is not closed`
    : `a quote is amid the value of ${describe(key)}: put all of the value in quotes`;
}

function codePoint(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}
