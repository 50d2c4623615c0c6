/** What a task waits for somebody to act on: questions, and issues that block its own. */
import { z } from 'zod';
import type { BlockerSource, BlockerStatus } from '../../core/blockers/blocker.ts';
import { login, time } from './common.ts';

const SOURCES = ['dependency', 'body'] as const satisfies readonly BlockerSource[];
const STATUSES = [
  'open',
  'judging',
  'resolved',
  'not_completed',
  'not_permitted',
  'absent',
  'unreadable',
  'refused',
] as const satisfies readonly BlockerStatus[];

const issueShape = {
  issue: z.string().describe('As owner/name#12.'),
  source: z.enum(SOURCES).describe("One of GitHub's own dependencies, or a line of the issue's body."),
  status: z.enum(STATUSES),
  actor: login.nullable().describe('Who closed it, or took it away.'),
  needs: z
    .enum(['close', 'release'])
    .nullable()
    .describe('What has to be done for it to block no more; null: nothing.'),
};

export const issueBlocker = z.strictObject(issueShape);

export const blocker = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('question'), id: z.string(), question: z.string(), actor: login, at: time }),
  z.strictObject({ kind: z.literal('issue'), ...issueShape }),
]);

export type BlockerShown = z.output<typeof blocker>;
export type IssueBlockerShown = z.output<typeof issueBlocker>;
