/** One entry of the journal, as REST shows it. */
import { z } from 'zod';
import { repository, time } from './common.ts';

export const event = z
  .strictObject({
    id: z.string(),
    type: z.string(),
    at: time,
    repository,
    issue: z.int().nullable(),
    batch_id: z.string().nullable(),
    task_id: z.string().nullable(),
    run_id: z.string().nullable(),
    data: z.record(z.string(), z.unknown()),
  })
  .describe('What has happened, written in the transaction of the change that it tells.');

export type EventView = z.output<typeof event>;
