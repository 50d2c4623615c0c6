/** What whoever attends a run is answered, as REST shows it. */
import { z } from 'zod';

const grace = z.number().describe('Between TERM and KILL.');

export const attended = z
  .strictObject({
    run_id: z.string(),
    number: z.int(),
    grace_seconds: grace,
    lease_seconds: z.int().describe('After so long without a question for news the run is given up.'),
    env: z.record(z.string(), z.string()).describe('What the command is told of itself.'),
  })
  .describe('A run that somebody attends.');

export const attendedNews = z
  .strictObject({
    state: z
      .enum(['running', 'stopping', 'over'])
      .describe(
        '`stopping`: the command is to end, by TERM and after the grace by KILL. `over`: nobody counts on it any more.',
      ),
    signal: z.enum(['TERM', 'KILL']).nullable().describe('The newest that was ordered.'),
    grace_seconds: grace.nullable(),
    why: z.string().nullable().describe('In words; null while it runs.'),
  })
  .describe('What the command of an attended run is to do now.');

export type AttendedView = z.output<typeof attended>;
export type AttendedNewsView = z.output<typeof attendedNews>;
