/** The log of a run, or the words for one that was kept for its time. */
import type { Run } from '../../core/run.ts';
import type { Deps } from '../deps.ts';
import type { JobControl } from '../ports.ts';
import { daysBefore, keptDays } from './days.ts';

/** `gone`: how it is told, as in "its log …". */
export type KeptLog = { text: string } | { gone: string };

/** The last `bytes` of it. Throws where the runner gives no answer. */
export async function readKeptLog(deps: Deps, runner: JobControl, run: Run, bytes: number): Promise<KeptLog> {
  const text = await runner.log(run.id, bytes);
  // Nobody saw one end that was lost: then it is kept from when it was seen gone.
  const end = run.endedAt ?? run.goneAt;
  if (text !== '' || bytes === 0 || end === null) return { text };
  const { logsDays } = keptDays(deps);
  if (end >= daysBefore(deps.clock(), logsDays)) return { text };
  const isThere = (await runner.inspect([run.id])).get(run.id)?.state !== 'no_record';
  return isThere ? { text } : { gone: `was kept for ${logsDays} ${logsDays === 1 ? 'day' : 'days'} and is gone` };
}
