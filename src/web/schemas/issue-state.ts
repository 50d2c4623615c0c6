/** What is known of the issue of a task, as REST shows it. */
import { z } from 'zod';
import type { CloseReason, TrackedIssue } from '../../core/issue.ts';
import { time } from './common.ts';
import { knownRepository, lookProblem } from './repository.ts';

const REASONS = ['completed', 'not_planned', 'duplicate', 'unknown'] as const satisfies readonly CloseReason[];
const PRESENCES = ['present', 'deleted', 'transferred'] as const satisfies readonly TrackedIssue['presence'][];

export const issueState = z
  .strictObject({
    state: z.enum(['open', 'closed']),
    reason: z.enum(REASONS).nullable().describe('Why it is closed; null: it is open.'),
    closed_at: time.nullable(),
    locked: z.boolean(),
    presence: z.enum(PRESENCES).describe('Whether it is still there; the rest is then as it was before.'),
    moved_to: z
      .string()
      .nullable()
      .describe('Web address of a transferred issue; null: it was not transferred, or where to can not be seen.'),
    observed_at: time.describe('When its own answer, or an event, last said so.'),
    data_age_seconds: z
      .int()
      .describe('Since then, or since a later sweep of its repository that found no news of it.'),
    access: knownRepository.shape.access.describe(
      'Of its repository: it is not looked at while the App can not be there.',
    ),
    access_since: knownRepository.shape.access_since,
    problem: lookProblem.nullable(),
  })
  .describe('What is known of the issue.');

export type IssueStateView = z.output<typeof issueState>;
