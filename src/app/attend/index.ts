/** `standdown attend`: a person's own command, which ends when its issue does, or as the work of a task. */
import { makeGitHub } from '../../github/index.ts';
import { readAttendConfig } from '../config/index.ts';
import { findOpenIssue, untilGone } from './issue.ts';
import { attendTask } from './of-task.ts';
import type { AttendOrder, AttendWorld, IssueOrder } from './order.ts';
import { exitCodeOf, runWatched, withoutSecrets } from './run.ts';

export type { AttendOrder, Claimed, DeskNews, EndAnswer, TaskDesk } from './order.ts';
export { AttendError } from './refusal.ts';

const GRACE_SECONDS = 10;

/** Gives the exit code. Throws `ConfigError`, `AttendError` or what the desk throws, where nothing was started. */
export function runAttend(order: AttendOrder, world: AttendWorld): Promise<number> {
  return order.of === 'task' ? attendTask(order, world) : attendIssue(order, world);
}

async function attendIssue(order: IssueOrder, world: AttendWorld): Promise<number> {
  const { token, githubApiUrl } = readAttendConfig(world.env);
  const ending = new AbortController();
  const { signal } = ending;
  const { reader } = makeGitHub({ credentials: { mode: 'token', token }, baseUrl: githubApiUrl, signal });
  const { repository, number, argv, graceSeconds, intervalSeconds } = order;
  try {
    const issue = await findOpenIssue(reader, repository, number);
    const watch = { intervalMs: intervalSeconds * 1000, tell: world.tell, signal };
    const until = async () => {
      const end = await untilGone(reader, issue, watch);
      return end === null ? null : `${repository}#${number} was ${end}`;
    };
    const command = { argv, env: withoutSecrets(world.inherited), graceMs: (graceSeconds ?? GRACE_SECONDS) * 1000 };
    return exitCodeOf(await runWatched({ command, until, tell: world.tell }));
  } finally {
    ending.abort();
  }
}
