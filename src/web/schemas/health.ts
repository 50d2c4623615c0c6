/** How it stands with the app, and small answers. */
import { z } from 'zod';
import { error } from './error.ts';

export const alive = z.strictObject({ ok: z.boolean() });

/** It grows with what there is to know: others than these keys may come. */
export const ready = z
  .looseObject({
    status: z.enum(['ok', 'draining', 'unavailable']),
    database: z.enum(['ok', 'unavailable']),
    github: z.string(),
    runners: z.record(z.string(), z.looseObject({ state: z.enum(['ok', 'degraded']) })),
  })
  .describe('Whether deliveries can be accepted and kept now.');

export const accepted = z.strictObject({ accepted: z.literal(true) });
export const released = z.strictObject({ released: z.literal(true) });

/** What GitHub shows beside a delivery; or an error, where it was not even taken for one. */
export const delivered = z.union([z.looseObject({ message: z.string() }), error]);

export const openApi = z.looseObject({ openapi: z.literal('3.1.0'), paths: z.record(z.string(), z.unknown()) });
