/** Ends one orphan, step by step. Each look goes by the run's row and by what its runner shows, so a killed app goes on where it was. */
import { isPursued, planOrphan } from '../../core/plan/orphan.ts';
import type { Run, RunState } from '../../core/run.ts';
import type { Task } from '../../core/task.ts';
import type { Deps } from '../deps.ts';
import { taskEvent } from '../journal.ts';
import { orphanKey } from '../keys.ts';
import type { JobControl, Write } from '../ports.ts';

const NO_ANSWER_MS = 10_000;
const ELSEWHERE_MS = 200;
const ENDED: readonly RunState[] = ['succeeded', 'failed', 'cancelled', 'lost'];

interface Orphan {
  run: Run;
  task: Task;
  runner: JobControl;
}

/** True: it is no orphan, or no longer one. */
export async function endOrphan(deps: Deps, runId: string): Promise<boolean> {
  const { store, runners } = deps;
  const run = await store.run(runId);
  const task = run === null ? null : await store.task(run.taskId);
  if (run === null || task === null) return true;
  const runner = runners.get(run.runner);
  if (runner === null) {
    // Another app on the same database may have it; without one, the next look that sees it brings it back.
    if (!store.exclusive)
      await store.queue.enqueueForOthers([{ key: orphanKey(runId), dueAt: inMs(deps, ELSEWHERE_MS) }]);
    return store.exclusive;
  }
  try {
    return await pursue(deps, { run, task, runner });
  } catch (error) {
    deps.log.warn({ run: runId, runner: run.runner, err: error }, 'orphan can not be seen or signalled');
    await store.queue.enqueue([{ key: orphanKey(runId), dueAt: inMs(deps, NO_ANSWER_MS) }]);
    return false;
  }
}

async function pursue(deps: Deps, orphan: Orphan): Promise<boolean> {
  const { run, task, runner } = orphan;
  const { clock, store } = deps;
  const now = clock();
  const probe = (await runner.inspect([run.id])).get(run.id);
  if (probe === undefined) throw new Error(`nothing was said of ${run.id}`);
  const graceSeconds = task.spec.graceSeconds ?? runner.profile.graceSeconds;
  const step = planOrphan(run, probe, { graceSeconds, now });
  switch (step.step) {
    case 'leave':
      return true;
    case 'look_again':
      await store.queue.enqueue([{ key: orphanKey(run.id), dueAt: step.at }]);
      return false;
    case 'signal':
      await signal(deps, orphan, step.mode, step.lookAgainAt);
      return false;
    case 'gone':
      await noteGone(deps, orphan);
      return true;
  }
}

/** Sent first and recorded then: a crash in between sends it once more, which harms nothing. */
async function signal(
  { store, clock, log }: Deps,
  { run, task, runner }: Orphan,
  ...[mode, lookAgainAt]: ['term' | 'kill', Date]
): Promise<void> {
  await runner.cancel(run.id, mode);
  const now = clock();
  log.warn({ task: task.id, run: run.id, runner: run.runner, signal: mode }, 'orphan signalled');
  const writes: Write[] = [{ write: 'work.enqueue', key: orphanKey(run.id), dueAt: lookAgainAt }];
  if (!isPursued(run) || run.termAt === null) {
    const data = { runner: run.runner, state: run.state, number: run.number };
    // Younger than its end, whatever the clock says: that is what tells it from a TERM of the run's own stop.
    const termAt = new Date(Math.max(now.getTime(), (run.goneAt?.getTime() ?? 0) + 1));
    writes.push(update(run, { termAt, killAt: null }), taskEvent('RUN_ORPHAN_FOUND', now, task, { run, data }));
  } else if (mode === 'kill' && run.killAt === null) {
    writes.push(update(run, { killAt: now }));
  }
  await store.commit(writes);
}

/** The row says when it was really gone; how its task ended stays as it was. */
async function noteGone({ store, clock, log }: Deps, { run, task }: Orphan): Promise<void> {
  const now = clock();
  const goneAt = new Date(Math.max(now.getTime(), run.termAt?.getTime() ?? 0));
  const seen = update(run, { goneAt, survivors: [] });
  if (!isPursued(run)) {
    // Lost, and found again when it had ended.
    await store.commit([seen]);
    return;
  }
  const signalSent = run.killAt === null ? 'TERM' : 'KILL';
  const data = { runner: run.runner, state: run.state, number: run.number, signal: signalSent };
  await store.commit([seen, taskEvent('RUN_ORPHAN_ENDED', now, task, { run, data })]);
  log.info({ task: task.id, run: run.id, runner: run.runner, signal: signalSent }, 'orphan ended');
}

function update(run: Run, set: Partial<Pick<Run, 'termAt' | 'killAt' | 'goneAt' | 'survivors'>>): Write {
  return { write: 'run.update', id: run.id, from: ENDED, set };
}

function inMs({ clock }: Deps, ms: number): Date {
  return new Date(clock().getTime() + ms);
}
