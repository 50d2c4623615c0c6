/**
 * Asks every runner about its live runs in bulk, and looks at the tasks of those that may have changed. Hints tell sooner; this
 * is what finds the lost ones.
 */
import type { Probe } from '../core/run.ts';
import type { Deps } from './deps.ts';
import { taskKey } from './keys.ts';
import type { LiveRun } from './ports.ts';

/** Of runs that go on quietly no more are asked about at once; where there are more, they take turns. */
const AT_ONCE = 100;

/** `turn` counts the checks of this process. */
export async function checkRunners(deps: Deps, turn = 0): Promise<void> {
  const byRunner = new Map<string, LiveRun[]>();
  for (const run of runsOfTurn(await deps.store.liveRuns(), turn)) {
    const ofRunner = byRunner.get(run.runner);
    if (ofRunner === undefined) byRunner.set(run.runner, [run]);
    else ofRunner.push(run);
  }
  const dueAt = deps.clock();
  // Side by side: one that takes long to give no answer holds up no other.
  const checks = [...byRunner].map(async ([name, runs]) => {
    const changed = await changedRuns(deps, name, runs);
    if (changed.length > 0) await deps.store.queue.enqueue(changed.map((run) => ({ key: taskKey(run.taskId), dueAt })));
  });
  await Promise.all(checks);
}

/** What is on its way up or down each time; what runs, a hundred at a time. */
function runsOfTurn(runs: readonly LiveRun[], turn: number): readonly LiveRun[] {
  const quiet = runs.filter(({ state }) => state === 'running');
  const from = (turn % Math.max(1, Math.ceil(quiet.length / AT_ONCE))) * AT_ONCE;
  return [...runs.filter(({ state }) => state !== 'running'), ...quiet.slice(from, from + AT_ONCE)];
}

async function changedRuns(
  { runners, log }: Deps,
  name: string,
  runs: readonly LiveRun[],
): Promise<readonly LiveRun[]> {
  const runner = runners.get(name);
  if (runner === null) return [];
  try {
    const probes = await runner.inspect(runs.map((run) => run.id));
    return runs.filter((run) => mayHaveChanged(run, probes.get(run.id)));
  } catch (error) {
    log.warn({ runner: name, err: error }, 'runner unreachable');
    return [];
  }
}

function mayHaveChanged(run: LiveRun, probe: Probe | undefined): boolean {
  return run.state !== 'running' || probe?.state !== 'running';
}
