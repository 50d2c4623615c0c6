/** What speaks for the work of a lost run, before its task counts as failed: then a person decides. */
import type { Run } from '../run.ts';
import type { TaskObservation } from './observation.ts';
import type { RunResult } from './steps.ts';

/** In words; null: nothing does. */
export function evidenceIn(
  { probe, evidence }: TaskObservation,
  { purpose }: Run,
  { state }: RunResult,
): string | null {
  if (state !== 'lost' || purpose !== 'work') return null;
  const said = probe?.state === 'vanished' ? probe.said : undefined;
  if (said?.result === 'done' && said.reason === null) return 'its result file says that it is done';
  if (evidence?.found !== 'commits') return null;
  const { branch, base, aheadBy } = evidence;
  return `branch ${branch} has ${aheadBy} ${aheadBy === 1 ? 'commit' : 'commits'} that ${base} has not`;
}
