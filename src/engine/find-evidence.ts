/** Looks for what a lost run has left. No document can name a branch yet. */
import type { Evidence } from '../core/evidence.ts';
import type { TaskObservation } from '../core/plan/observation.ts';
import type { Deps } from './deps.ts';

export async function findEvidence(_deps: Deps, _observation: TaskObservation): Promise<Evidence> {
  return { found: 'none', why: 'its task names no branch' };
}
