/** Repositories, as REST shows them: whether each can be reached, and how old what is known of its issues is. */
import { z } from 'zod';
import type { RepositoryAccess, SweepProblem } from '../../engine/ports.ts';
import { time } from './common.ts';

const ACCESSES = ['ok', 'suspended', 'archived', 'gone'] as const satisfies readonly RepositoryAccess[];
const LOOKS = ['changes', 'everything'] as const satisfies readonly SweepProblem['look'][];

export const lookProblem = z
  .strictObject({
    look: z.enum(LOOKS).describe('Which look fails: the one at what changed, or the rare one at everything.'),
    code: z.string(),
    message: z.string(),
    since: time.describe('When this row of failures began.'),
    next_try_at: time,
  })
  .describe('Why what is known of the issues of a repository can not be made newer now.');

export const knownRepository = z
  .strictObject({
    id: z.string(),
    full_name: z.string(),
    access: z.enum(ACCESSES).describe("By GitHub's own word; nothing starts unless it is `ok`."),
    access_since: time.nullable().describe('null: it can be reached.'),
    swept_at: time.nullable().describe('When its issues were last known to be as they are stored; null: never.'),
    verified_at: time.nullable().describe('When all of them were last looked at, one by one; null: never.'),
    data_age_seconds: z.int().nullable().describe('Since `swept_at`.'),
    problem: lookProblem.nullable(),
  })
  .describe('A repository that was ever seen.');

export type LookProblemView = z.output<typeof lookProblem>;
export type RepositoryView = z.output<typeof knownRepository>;
