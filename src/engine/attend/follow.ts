/** What the session of an attended run hears: that it goes on, is to stop, or is over here. Each time it asks is a sign of life. */
import { setTimeout as delay } from 'node:timers/promises';
import { ATTENDED, type AttendedRun, LEFT_REASON } from '../../core/attended.ts';
import { overWords, stopWords } from '../../core/report/stop.ts';
import { isLive, type Run } from '../../core/run.ts';
import type { Deps } from '../deps.ts';
import { graceSecondsOf } from '../grace.ts';
import { taskKey } from '../keys.ts';
import { withAnyOf } from '../with-any-of.ts';

export interface Session {
  runId: string;
  session: string;
}

export type AttendedNews =
  | { state: 'running' }
  | { state: 'stopping'; signal: 'TERM' | 'KILL'; graceSeconds: number; why: string }
  /** Whatever still lives of it, nobody here counts on it any more. */
  | { state: 'over'; graceSeconds: number; why: string };

export type FollowResult =
  | { result: 'news'; news: AttendedNews }
  | { result: 'conflict'; message: string }
  | { result: 'not_found' };

/** Another app on the same database may order it; a lost hint costs so long. */
const LOOK_MS = { shared: 1_000, exclusive: 5_000 };

/** Answers at once where there is something to do, else when there is, after `waitMs`, or when nobody listens any more. */
export async function followAttended(
  deps: Deps,
  at: Session,
  { waitMs, ended }: { waitMs: number; ended: AbortSignal },
): Promise<FollowResult> {
  const heard = await hear(deps, at);
  if (heard !== null) return heard;
  const until = performance.now() + waitMs;
  const most = deps.store.exclusive ? LOOK_MS.exclusive : LOOK_MS.shared;
  for (;;) {
    // From before the look on: what is ordered meanwhile is not missed.
    const hint = listen(deps, at.runId);
    try {
      const news = await look(deps, at.runId);
      const left = until - performance.now();
      if (news === null) return { result: 'not_found' };
      if (news.state !== 'running' || left <= 0 || ended.aborted) return { result: 'news', news };
      const waitMs = Math.min(left, most);
      await withAnyOf([hint.signal, ended], (signal) => delay(waitMs, undefined, { signal })).catch(() => {});
    } finally {
      hint.end();
    }
  }
}

/** null: it is that session's. One that has told of its end needs no lease. */
export async function hear({ store, clock }: Deps, { runId, session }: Session): Promise<FollowResult | null> {
  const [known] = await store.attendedRuns([runId]);
  if (known === undefined) return { result: 'not_found' };
  if (known.session !== session) return notYours(runId);
  const now = clock();
  const run = known.phase === 'claimed' ? await store.run(runId) : null;
  // What is voided stays so: whoever hears that it runs may begin, and nobody else.
  const heard = {
    write: 'attended.update',
    runId,
    session,
    from: ['claimed', 'begun'],
    set: { heardAt: now, phase: 'begun' },
  } as const;
  await store.commit([
    heard,
    ...(run === null ? [] : [{ write: 'work.enqueue', key: taskKey(run.taskId), dueAt: now } as const]),
  ]);
  return null;
}

export function notYours(runId: string): { result: 'conflict'; message: string } {
  return { result: 'conflict', message: `run ${runId} is attended by another session` };
}

function listen({ runners }: Deps, runId: string): { signal: AbortSignal; end(): void } {
  const heard = new AbortController();
  const end = runners.get(ATTENDED)?.onHint((id) => {
    if (id === runId) heard.abort();
  });
  return { signal: heard.signal, end: () => end?.() };
}

async function look(deps: Deps, runId: string): Promise<AttendedNews | null> {
  const { store } = deps;
  const [attended] = await store.attendedRuns([runId]);
  const run = await store.run(runId);
  if (attended === undefined || run === null) return null;
  return newsOf(deps, attended, run);
}

async function newsOf(deps: Deps, { order, phase, end }: AttendedRun, run: Run): Promise<AttendedNews | null> {
  const { store } = deps;
  const task = await store.task(run.taskId);
  if (task === null) return null;
  const graceSeconds = graceSecondsOf(deps, task, run);
  if (phase === 'voided')
    return { state: 'over', graceSeconds, why: `run ${run.number} of ${task.key}: ${LEFT_REASON}` };
  if (!isLive(run)) return { state: 'over', graceSeconds, why: overWords(task, run) };
  if (end !== null) return { state: 'over', graceSeconds, why: `run ${run.number} of ${task.key} has ended` };
  const { target } = task;
  if (order === null || target === null) return { state: 'running' };
  const { episodeId } = target.ending;
  const episode = episodeId === null ? null : await store.episode(episodeId);
  const repository = (await store.repository(task.repositoryId))?.fullName ?? '';
  const why = stopWords({ task, repository, run, target, episode });
  return { state: 'stopping', signal: order === 'kill' ? 'KILL' : 'TERM', graceSeconds, why };
}
