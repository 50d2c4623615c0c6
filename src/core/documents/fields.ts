/** The small schemas that documents share: names, repositories, argv, environment, durations. */
import { z } from 'zod';
import { branchProblem } from './branch-name.ts';
import { typed } from './check.ts';
import { type Part, parseExpressions } from './expression.ts';

/** `__proto__` begins with an underscore that a name may have; the others are plain words. */
const RESERVED = ['__proto__', 'constructor', 'prototype'];

export const name = z
  .string()
  .regex(/^[A-Za-z0-9._-]{1,100}$/, { error: '1 to 100 characters out of A-Z a-z 0-9 . _ -' })
  .refine((value) => !RESERVED.includes(value), {
    error: (issue) => `"${String(issue.input)}" is reserved and can't be a name`,
  });

export const repository = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,99}\/(?!\.{1,2}$)[A-Za-z0-9._-]{1,100}$/, { error: 'owner/name' });

/** Longest single string that Linux takes as an argument or as a variable of the environment, less its final NUL. */
export const MAX_STRING = 131_071;

export const plain = z
  .string(typed('a string (put it in quotes)'))
  .refine((value) => !value.includes('\0'), { error: 'must not contain a NUL character' })
  .refine((value) => value.length <= MAX_STRING, { error: `must have at most ${MAX_STRING} characters` });

/** A string in which expressions are filled in. */
const filled = plain.superRefine((value, context) => {
  const parsed = parseExpressions(value);
  if (!parsed.ok) context.addIssue({ code: 'custom', message: parsed.problem });
});

function anyValue(part: Part): string {
  return typeof part === 'string' ? part : 'x';
}

/** A branch's name in which expressions are filled in. Where they stand, any value is taken for right: the name is judged again once it is whole. */
export const branchName = plain.superRefine((value, context) => {
  const parsed = parseExpressions(value);
  const message = parsed.ok ? branchProblem(parsed.parts.map(anyValue).join(''), value) : parsed.problem;
  if (message !== null) context.addIssue({ code: 'custom', message });
});

export const title = z
  .string()
  .min(1)
  .max(200)
  .refine((value) => !/\p{Cc}/u.test(value), { error: 'must be one line without control characters' });

export const argv = z
  .array(filled, typed('a list of strings, the program first, never a shell line'))
  .min(1)
  .max(1000)
  .refine((items) => items[0] !== '', { error: 'the first item must name a program' });

export const envName = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]{0,99}$/, { error: 'a variable name: letters, digits and _, no digit first' })
  .refine((value) => !RESERVED.includes(value), {
    error: (issue) => `"${String(issue.input)}" is reserved and can't be a name`,
  })
  .refine((value) => !value.startsWith('STANDDOWN_'), {
    error: 'names that begin with STANDDOWN_ are set by Standdown',
  });

export const env = z.record(envName, filled);

/** Lexical only: whoever uses it still has to look where links lead. */
export const directory = z
  .string()
  .min(1)
  .max(4096)
  .refine((path) => !path.startsWith('/') && !path.split('/').includes('..') && !path.includes('\0'), {
    error: "must be a path below the runner's root, without .. or a leading /",
  });

/** A year bounds every duration, so that none overflows a date. */
export const MAX_MINUTES = 525_600;
export const MAX_SECONDS = 86_400;

export const issueNumber = z
  .int({
    error: (issue) => {
      if (issue.code !== 'invalid_type') return undefined;
      const quoted = typeof issue.input === 'string' && /^\d+$/.test(issue.input);
      return quoted ? 'an issue number (without quotes)' : 'an issue number';
    },
  })
  .min(1)
  .max(2_147_483_647);
