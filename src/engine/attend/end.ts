/** How an attended command ended, as its session tells: kept first, judged by the look at its task. */
import type { AttendedEnd } from '../../core/attended.ts';
import { isLive } from '../../core/run.ts';
import type { Deps } from '../deps.ts';
import { orphanKey, taskKey } from '../keys.ts';
import { notYours, type Session } from './follow.ts';

export type EndResult = { result: 'accepted' } | { result: 'conflict'; message: string } | { result: 'not_found' };

/** The first word counts; the same again changes nothing. */
export async function endAttended(deps: Deps, { runId, session }: Session, end: AttendedEnd): Promise<EndResult> {
  const { store, clock } = deps;
  const run = await store.run(runId);
  if (run === null) return { result: 'not_found' };
  const look = {
    write: 'work.enqueue',
    key: isLive(run) ? taskKey(run.taskId) : orphanKey(runId),
    dueAt: clock(),
  } as const;
  if (
    await store.commit([{ write: 'attended.update', runId, session, from: ['claimed', 'begun'], set: { end } }, look])
  )
    return { result: 'accepted' };
  const [known] = await store.attendedRuns([runId]);
  if (known === undefined) return { result: 'not_found' };
  return known.session === session ? { result: 'accepted' } : notYours(runId);
}
