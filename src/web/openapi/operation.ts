/** How one call is described: what it takes and everything that it may answer. */
import type { z } from 'zod';

export interface Operation {
  method: 'get' | 'post' | 'put' | 'delete';
  /** As in OpenAPI: `/api/v1/tasks/{id}`. */
  path: string;
  summary: string;
  query?: z.ZodObject;
  body?: Body;
  /** By status. Errors are added to them. */
  answers: Readonly<Record<number, Answer>>;
  /** Statuses of its own errors; those that any call of its kind may answer are added. */
  errors?: readonly number[];
}

/** `document`: JSON or YAML. A body whose schema takes an empty object may be left out. */
export type Body = { schema: z.ZodType } | { document: true };

export type Answer = { schema: z.ZodType } | { text: 'text/plain' | 'text/event-stream' };
