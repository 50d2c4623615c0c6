/**
 * Forgets runs. A run's directory is first given a name that no run can have, which happens at once or not at all, and is removed under that:
 * so a run is known with all its records or not at all, also where this is cut short.
 */
import { readdirSync, renameSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Here, inspectRuns } from './inspect.ts';
import { isFileName, voidRecord } from './records.ts';

const FORGOTTEN = '.forgotten-';

/** False: it is unknown, or not seen ended. */
export async function forgetRun(here: Here, runId: string): Promise<boolean> {
  if (!isFileName(runId) || !isOver(here, runId)) return false;
  const forgotten = join(here.runs, `${FORGOTTEN}${runId}`);
  // A leftover of that name can't be renamed over.
  await rm(forgotten, { recursive: true, force: true });
  renameSync(join(here.runs, runId), forgotten);
  await rm(join(here.results, runId), { recursive: true, force: true });
  await rm(forgotten, { recursive: true, force: true });
  return true;
}

/** What was being forgotten when a process ended. What can't be removed stays for the next time. */
export async function removeForgotten(runs: string): Promise<void> {
  for (const name of readdirSync(runs).filter((entry) => entry.startsWith(FORGOTTEN))) {
    await rm(join(runs, name), { recursive: true, force: true }).catch(() => {});
  }
}

/** By its records, and nothing of it lives. */
function isOver(here: Here, runId: string): boolean {
  const probe = inspectRuns(here, [runId]).get(runId);
  switch (probe?.state) {
    case 'exited':
    case 'vanished':
      return probe.survivors.length === 0;
    case 'voided':
      return true;
    case 'unclaimed':
      // Nobody can start it any more, once that is on record.
      return voidRecord(join(here.runs, runId), 'claim');
    default:
      return false;
  }
}
