/**
 * Runs a schema over a value and tells every problem in words. A schema's own message says what is accepted; what was
 * given is added here, so that no schema has to.
 */
import { z } from 'zod';
import { describe, type Keys, type Locate, MAX_PROBLEMS, type Parsed, type Problem, problemAt } from './problem.ts';

export function check<S extends z.ZodType>(schema: S, value: unknown, locate?: Locate): Parsed<z.output<S>> {
  const result = schema.safeParse(value, { error: accepted, reportInput: true });
  if (result.success) return { ok: true, value: result.data };
  const issues = result.error.issues.slice(0, MAX_PROBLEMS + 1);
  return { ok: false, problems: issues.flatMap((issue) => explain(issue, locate)) };
}

/** An object that refuses keys it doesn't know. */
export function strict<S extends z.core.$ZodShape>(shape: S) {
  const offered = Object.keys(shape);
  return z.strictObject(shape, {
    error: (issue) => (issue.code === 'unrecognized_keys' ? `unknown key; accepted: ${offered.join(', ')}` : undefined),
  });
}

/** Says what type a schema accepts where the type's own name would not do. */
export function typed(message: string) {
  return { error: (issue: z.core.$ZodRawIssue) => (issue.code === 'invalid_type' ? message : undefined) };
}

/** zod drops a key named `__proto__` from a mapping without a word: it has to be looked for beforehand. */
export function protoKeys(value: unknown, keys: Keys, locate?: Locate): Problem[] {
  const mapping = asMapping(value);
  if (mapping === null || !Object.hasOwn(mapping, '__proto__')) return [];
  return [problemAt([...keys, '__proto__'], '"__proto__" is reserved and can\'t be a name', locate)];
}

/** The value as a mapping to look into, before any schema has seen it. */
export function asMapping(value: unknown): Readonly<Record<string, unknown>> | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : null;
}

function explain(issue: z.core.$ZodIssue, locate?: Locate): Problem[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => problemAt([...issue.path, key], issue.message, locate));
  }
  if (issue.code === 'invalid_key') return [problemAt(issue.path, keyMessage(issue), locate)];
  return [problemAt(issue.path, sentence(issue), locate)];
}

function sentence(issue: z.core.$ZodIssue): string {
  if (issue.code === 'custom') return issue.message;
  if (issue.input === undefined) return `is missing: must be ${issue.message}`;
  return `must be ${issue.message}, not ${describe(givenTo(issue))}`;
}

/** A union that is told apart by one key is judged by that key's value. */
function givenTo(issue: z.core.$ZodIssue): unknown {
  const key = issue.code === 'invalid_union' ? issue.discriminator : undefined;
  return key !== undefined && issue.path.at(-1) === key ? asMapping(issue.input)?.[key] : issue.input;
}

function keyMessage(issue: z.core.$ZodIssueInvalidKey): string {
  return issue.issues.map(sentence).join('; ');
}

/** What is accepted, for issues whose schema doesn't say it better. */
function accepted(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return TYPES[issue.expected] ?? issue.expected;
    case 'too_small':
      return issue.origin === 'array'
        ? `a list of ${issue.minimum} or more`
        : `${issue.inclusive ? 'at least' : 'more than'} ${issue.minimum}${unit(issue.origin)}`;
    case 'too_big':
      return issue.origin === 'array'
        ? `a list of ${issue.maximum} at most`
        : `${issue.inclusive ? 'at most' : 'less than'} ${issue.maximum}${unit(issue.origin)}`;
    case 'invalid_value':
      return `one of ${issue.values.map(String).join(', ')}`;
    default:
      return undefined;
  }
}

function unit(origin: string): string {
  return origin === 'string' ? ' characters' : '';
}

const TYPES: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a mapping',
  record: 'a mapping',
};
