/** Query parameters and ids, checked before anything is asked of the store. An unknown parameter is an error, not a wish. */
import type { Context } from 'hono';
import { z } from 'zod';
import { check } from '../core/documents/check.ts';
import { describe, type Problem } from '../core/documents/problem.ts';
import { line } from '../core/report/text.ts';
import { HttpError } from './errors.ts';

export function readQuery<S extends z.ZodType>(c: Context, schema: S): z.output<S> {
  const parsed = check(schema, c.req.query());
  const repeated = Object.entries(c.req.queries())
    .filter(([, values]) => values.length > 1)
    .map(([path, values]) => ({ path, message: `is given ${values.length} times; accepted is once` }));
  if (parsed.ok && repeated.length === 0) return parsed.value;
  throw wrongQuery([...repeated, ...(parsed.ok ? [] : parsed.problems)]);
}

/** What looks like a cursor, and is none that this list gives out. A stream may be given its own in a header. */
export function wrongCursor(c: Context): HttpError {
  const { cursor, after } = c.req.query();
  const given = { cursor, 'last-event-id': c.req.header('last-event-id'), after };
  const [path, value] = Object.entries(given).find(([, one]) => one !== undefined) ?? ['cursor', undefined];
  return wrongQuery([{ path, message: `must be one from an earlier answer, not ${describe(value)}` }]);
}

function wrongQuery(problems: readonly Problem[]): HttpError {
  return new HttpError('bad_request', 'the query is not what this call takes', { problems });
}

/** Whose id it is. */
type Kind = 'batch' | 'task' | 'run';

const WHERE_SHOWN: Readonly<Record<Kind, string>> = {
  batch: '`standdown batch list` shows them',
  task: '`standdown batch status` shows those of a batch',
  run: '`standdown task show` shows those of a task',
};

/** An id that can't be one is not looked for. */
export function readId(c: Context, kind: Kind): string {
  const id = c.req.param('id') ?? '';
  if (!/^[A-Za-z0-9_.-]{1,100}$/.test(id)) throw unknown(kind, id);
  return id;
}

export function unknown(kind: Kind, id: string): HttpError {
  return new HttpError('not_found', `no ${kind} has the id ${line(id)}; ${WHERE_SHOWN[kind]}`);
}

export function notFound(): HttpError {
  return new HttpError('not_found', 'there is nothing here');
}

export const limit = whole(1, 100, 50);
export const cursor = z
  .string()
  .regex(/^[\x21-\x7e]{1,500}$/, { error: 'a cursor from an earlier answer' })
  .exactOptional();
export const repositoryName = z
  .string()
  .regex(/^[\w-]+\/[\w.-]+$/, { error: 'owner/name' })
  .exactOptional();

export function whole(min: number, max: number, fallback: number) {
  return z
    .string()
    .regex(/^\d{1,9}$/, { error: `a whole number from ${min} to ${max}` })
    .transform(Number)
    .pipe(z.int().min(min).max(max))
    .default(fallback);
}

export const flag = z
  .enum(['true', 'false'])
  .default('false')
  .transform((value) => value === 'true');
