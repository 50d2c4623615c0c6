/**
 * Patterns that inputs have to match. RE2's syntax and engine: time grows with pattern and value, never explodes. What a pattern
 * of few characters may unfold to is bounded before it is compiled.
 */
import { RE2JS, RE2JSException } from 're2js';
import { makeLru } from '../lru.ts';

export const MAX_PATTERN_CHARACTERS = 500;
/** Of one pattern. */
const MAX_PATTERN_COST = 1100;
/** Of all different patterns of a document together. */
export const MAX_COST_IN_ALL = 20_000;
/** Compiling has a cost of its own, however short the pattern. */
const COST_OF_EACH = 20;

/** Whether a value matches the pattern as a whole; `too_costly`: it was not looked at. Each pair is looked at once for each of these. */
export type Matches = (pattern: string, value: string) => boolean | 'too_costly';

/**
 * Of counted repetitions, times the characters of values: less than 100 ms. RE2 may be at as many places of a pattern at once; without
 * them it takes next to no time.
 */
export const MATCHING_OF_A_TEXT = 1_000_000;

/** @param budget what is matched in all may cost that much */
export function makeMatches(budget = Number.POSITIVE_INFINITY): Matches {
  const compiled = new Map<string, { re: RE2JS; seen: Map<string, boolean> }>();
  let left = budget;
  return (pattern, value) => {
    const known = compiled.get(pattern) ?? { re: RE2JS.compile(pattern), seen: new Map() };
    compiled.set(pattern, known);
    const seen = known.seen.get(value);
    if (seen !== undefined) return seen;
    left -= repetitionCost(pattern) * value.length * (hasLargeClass(pattern) ? 10 : 1);
    if (left < 0) return 'too_costly';
    const matched = known.re.matches(value);
    known.seen.set(value, matched);
    return matched;
  };
}

/** A document may give the same pattern to each of a thousand inputs. */
const judged = makeLru<{ problem: string | null }>(100);

/** What is wrong with a pattern of not too many characters, as a sentence; null: nothing. */
export function patternProblem(pattern: string): string | null {
  const known = judged.get(pattern) ?? { problem: judge(pattern) };
  judged.set(pattern, known);
  return known.problem;
}

function judge(pattern: string): string | null {
  const given = JSON.stringify(pattern.slice(0, 100));
  if (patternCost(pattern) > MAX_PATTERN_COST)
    return `must be a pattern with smaller counted repetitions, not ${given}`;
  try {
    RE2JS.compile(pattern);
    return null;
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    const word = error.message.replace(/^error parsing regexp: /, '');
    return `must be a pattern of RE2's syntax, not ${given}: ${word}`;
  }
}

/** Of those that would be compiled. */
export function costInAll(patterns: ReadonlySet<string>): number {
  const short = [...patterns].filter((pattern) => pattern.length <= MAX_PATTERN_CHARACTERS);
  const compiled = short.map((pattern) => ({ pattern, cost: patternCost(pattern) })).filter(isCompiled);
  return compiled.reduce((sum, { pattern, cost }) => sum + cost * (hasLargeClass(pattern) ? 3 : 1), 0);
}

function isCompiled({ cost }: { cost: number }): boolean {
  return cost <= MAX_PATTERN_COST;
}

/** Such as `\p{L}`: hundreds of ranges, which are gone through for each character that is not ASCII. */
function hasLargeClass(pattern: string): boolean {
  return /\\[pP]/.test(pattern);
}

/**
 * Not less than the instructions that the pattern unfolds to, but for a small factor: a repetition of a group repeats at most all
 * that stands before it, one of anything else a single instruction.
 */
function patternCost(pattern: string): number {
  let cost = COST_OF_EACH + pattern.length;
  for (const [, before, least, most] of pattern.matchAll(/(.?)\{(\d{1,4})(?:,(\d{0,4}))?\}/gs)) {
    const count = Math.max(Number(least), Number(most ?? 0));
    cost += before === ')' ? cost * count : count;
  }
  return cost;
}

function repetitionCost(pattern: string): number {
  return patternCost(pattern) - pattern.length - COST_OF_EACH;
}
