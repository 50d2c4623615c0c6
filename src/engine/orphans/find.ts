/**
 * Finds what lives on a runner and is wanted by no row: runs of ours that have ended for us, such as one that was given up and came back,
 * and runs that are not known here, which may be somebody else's. The rows are read after the runner's list: a row is there before
 * its process, so a run that is just being started is never among them.
 */
import { setImmediate as breath } from 'node:timers/promises';
import { isAlive, isOver } from '../../core/plan/orphan.ts';
import { isLive, type Run } from '../../core/run.ts';
import type { Deps } from '../deps.ts';
import type { JobControl } from '../ports.ts';

/** So many are asked about at once. */
const PAGE = 200;

export interface Leftovers {
  orphans: readonly Run[];
  /** Lost ones that are found again, and have ended. */
  ended: readonly Run[];
  /** Ids of living runs that are not known here, or belong to a runner of another name. */
  strangers: readonly string[];
}

/** `over`: those that were seen to be over for good, which the runner goes on listing as long as it keeps their logs. */
export async function findLeftovers(
  { store }: Deps,
  { name, runner, over }: { name: string; runner: JobControl; over: Set<string> },
): Promise<Leftovers> {
  const listed = await runner.list();
  forgetOthers(over, listed);
  const wanted = new Set((await store.liveRuns()).map(({ id }) => id));
  const asked = listed.filter((id) => !wanted.has(id) && !over.has(id));
  const unseen = new Map((await store.unseenRuns()).map((run) => [run.id, run]));
  const orphans: Run[] = [];
  const ended: Run[] = [];
  const strangers: string[] = [];
  for (let from = 0; from < asked.length; from += PAGE) {
    for (const [id, probe] of await runner.inspect(asked.slice(from, from + PAGE))) {
      if (isOver(probe)) {
        over.add(id);
        const lost = unseen.get(id);
        if (lost?.runner === name) ended.push(lost);
      }
      if (!isAlive(probe)) continue;
      const run = await store.run(id);
      if (run === null || run.runner !== name) strangers.push(id);
      else if (!isLive(run)) orphans.push(run);
    }
    await breath();
  }
  return { orphans, ended, strangers };
}

function forgetOthers(over: Set<string>, listed: readonly string[]): void {
  const there = new Set(listed);
  for (const id of over) if (!there.has(id)) over.delete(id);
}
