/** Has runners forget runs that ended long ago. Each runner's trouble is its own, and so is each run's. */
import { setImmediate as breath } from 'node:timers/promises';
import type { Deps } from '../deps.ts';
import type { JobControl } from '../ports.ts';
import { runnersHere } from '../runners-here.ts';

const MOST_AT_ONCE = 1_000;
const IDS = 400;

export interface Taken {
  count: number;
  /** There may be more. */
  rest: boolean;
}

/** Of those that ended before then, and whose tasks are over. A runner keeps what it does not see ended. */
export async function pruneRuns(deps: Deps, endedBefore: Date): Promise<Taken> {
  let count = 0;
  for (const name of runnersHere(deps.runners)) {
    const runner = deps.runners.get(name);
    if (runner?.forget === undefined) continue;
    for (const id of await forgettableRuns(deps, runner, { name, endedBefore })) {
      if (count >= MOST_AT_ONCE) return { count, rest: true };
      // Each of the others would be waited for, one after another.
      if (runner.profile.silent) break;
      if (await forget(deps, runner, id)) count += 1;
      await breath();
    }
  }
  return { count, rest: false };
}

async function forgettableRuns(
  { store, log }: Deps,
  runner: JobControl,
  { name, endedBefore }: { name: string; endedBefore: Date },
): Promise<readonly string[]> {
  let ids: readonly string[];
  try {
    ids = await runner.list();
  } catch (error) {
    log.warn({ runner: name, err: error }, 'runner unreachable');
    return [];
  }
  const found: string[] = [];
  for (let from = 0; from < ids.length; from += IDS) {
    found.push(...(await store.forgettableRuns(ids.slice(from, from + IDS), endedBefore)));
    await breath();
  }
  return found;
}

async function forget({ log }: Deps, runner: JobControl, id: string): Promise<boolean> {
  try {
    return (await runner.forget?.(id)) ?? false;
  } catch (error) {
    log.warn({ run: id, err: error }, 'run not forgotten');
    return false;
  }
}
