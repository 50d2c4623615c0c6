/** The inputs of a template: what may be given for each, and whether what was given is that. */
import { z } from 'zod';
import { strict, typed } from './check.ts';
import { plain, title } from './fields.ts';
import { MAX_PATTERN_CHARACTERS, type Matches, patternProblem } from './pattern.ts';
import { describe, type Finding, listed } from './problem.ts';

export interface Input {
  /** What a value has to match as a whole; null: `[A-Za-z0-9._/=:,+-]{0,200}`, and not begin with `-`. */
  pattern: string | null;
  /** null: it has to be given. */
  default: string | null;
  description: string | null;
}

export type Inputs = ReadonlyMap<string, Input>;

export const MAX_INPUT_CHARACTERS = 4096;
const MAX_INPUTS = 100;

const WITHOUT_PATTERN = /^(?!-)[A-Za-z0-9._/=:,+-]{0,200}$/;
const WITHOUT_PATTERN_WORDS = 'at most 200 characters of [A-Za-z0-9._/=:,+-], the first not a -';

const inputName = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_-]{0,99}$/, { error: 'an input name: letters, digits, _ and -, no digit or - first' })
  .refine((value) => value !== 'constructor' && value !== 'prototype' && value !== '__proto__', {
    error: (issue) => `"${String(issue.input)}" is reserved and can't be a name`,
  });

const pattern = z
  .string()
  .max(MAX_PATTERN_CHARACTERS, { abort: true })
  .superRefine((value, context) => {
    const message = patternProblem(value);
    if (message !== null) context.addIssue({ code: 'custom', message });
  });

const input = strict({
  pattern: pattern.optional().describe(`RE2 syntax, matched as a whole. Default: ${WITHOUT_PATTERN_WORDS}.`),
  default: plain.optional().describe('What counts where none is given; without one it has to be given.'),
  description: title.optional(),
});

export const inputs = z
  .record(inputName, input.nullable(), typed('a mapping of names to { pattern, default, description }'))
  .refine((given) => Object.keys(given).length <= MAX_INPUTS, { error: `must have at most ${MAX_INPUTS} inputs` });

export const values = z.record(inputName, plain, typed('a mapping of input names to strings'));

export function toInputs(given: z.output<typeof inputs>): Inputs {
  return new Map(
    Object.entries(given).map(([name, one]) => [
      name,
      { pattern: one?.pattern ?? null, default: one?.default ?? null, description: one?.description ?? null },
    ]),
  );
}

/** A value for each input, or what is wrong with those given, by their names. */
export function judgeValues(
  accepted: Inputs,
  given: Readonly<Record<string, string>>,
  matches: Matches,
): { values: Map<string, string>; findings: Finding[] } {
  const known = accepted.size === 0 ? 'there are no inputs' : `accepted: ${listed([...accepted.keys()])}`;
  const unknown = Object.keys(given).filter((name) => !accepted.has(name));
  const findings: Finding[] = unknown.map((name) => ({ keys: [name], message: `unknown input; ${known}` }));
  const found = new Map<string, string>();
  for (const [name, one] of accepted) {
    const value = Object.hasOwn(given, name) ? given[name]! : one.default;
    const message = value === null ? `is missing: must be ${acceptedBy(one)}` : valueProblem(one, value, matches);
    if (message !== null) findings.push({ keys: [name], message });
    else if (value !== null) found.set(name, value);
  }
  return { values: found, findings };
}

/** null: nothing is wrong with it. */
export function valueProblem(input: Input, value: string, matches: Matches): string | null {
  if (value.length > MAX_INPUT_CHARACTERS) {
    return `must have at most ${MAX_INPUT_CHARACTERS} characters, not ${value.length}`;
  }
  if (value.includes('\0')) return 'must not contain a NUL character';
  if (/\p{Surrogate}/u.test(value)) return 'must not contain half of a surrogate pair';
  const matched = input.pattern === null ? WITHOUT_PATTERN.test(value) : matches(input.pattern, value);
  if (matched === 'too_costly')
    return 'takes too long to be matched: give a shorter value, or smaller counted repetitions';
  return matched ? null : `must be ${acceptedBy(input)}, not ${describe(value)}`;
}

function acceptedBy({ pattern }: Input): string {
  return pattern === null ? WITHOUT_PATTERN_WORDS : `what matches ${pattern} as a whole`;
}
