/**
 * How the tasks of an issue are. The comment is first made once there is something to follow: a task of the issue that has begun to
 * run and has not ended, or a batch that was started there. So what is over within seconds leaves no comment behind.
 */
import { renderStatus, type StatusReport } from '../../core/report/status.ts';
import { isEnded } from '../../core/task.ts';
import type { Deps } from '../deps.ts';
import type { OutcomeView } from '../ports.ts';
import { statusOf } from './gather-tasks.ts';
import type { Rendered } from './rendered.ts';

/** Between two edits: a batch in which something happens every second must not use up what its installation may write. */
const GAP_MS = 20_000;

export async function gatherStatus(deps: Deps, { item }: OutcomeView): Promise<Rendered> {
  if (item.sentAt !== null && deps.clock().getTime() - item.sentAt.getTime() < GAP_MS) return 'not_yet';
  const status = await statusOf(deps, item);
  if (item.remoteId === null && !isWorthFollowing(status)) return null;
  return { body: renderStatus({ id: item.id, ...status }) };
}

function isWorthFollowing({ tasks, batches }: Omit<StatusReport, 'id'>): boolean {
  return batches.length > 0 || tasks.some(({ state, runNumber }) => runNumber > 0 && !isEnded(state));
}
