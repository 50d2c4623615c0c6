/** Errors, as every call answers them. */
import { z } from 'zod';
import { ERROR_CODES } from '../errors.ts';

export const problem = z
  .strictObject({
    path: z.string().describe('E.g. tasks.train.needs[0]; empty for the whole.'),
    message: z.string(),
    line: z.int().optional(),
    column: z.int().optional(),
  })
  .describe('What is wrong, where, and what is accepted.');

export const error = z
  .strictObject({
    error: z.strictObject({
      code: z.enum(ERROR_CODES),
      message: z.string(),
      problems: z.array(problem).optional(),
      batch_id: z.string().optional().describe('The live batch that is in the way.'),
    }),
  })
  .describe('Why not.');
