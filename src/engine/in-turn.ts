/**
 * What is decided in the pass that gives slots to ready tasks. Limits hold because one such pass is made at a time: one that stood still
 * for longer than its lease, while another app made the next, changes nothing any more.
 */
import type { Store, WorkLease, Write } from './ports.ts';

/** The pass as the queue gave it; null: nobody else could make one. */
export type Turn = Pick<WorkLease, 'key' | 'fence'> | null;

/** `refused`: another guard did not hold. `passed_on`: the turn is somebody else's by now. */
export async function commitInTurn(
  { commit }: Pick<Store, 'commit'>,
  turn: Turn,
  writes: readonly Write[],
): Promise<'kept' | 'refused' | 'passed_on'> {
  const isHeld: readonly Write[] = turn === null ? [] : [{ write: 'work.held', lease: turn }];
  if (await commit([...isHeld, ...writes])) return 'kept';
  return (await commit(isHeld)) ? 'refused' : 'passed_on';
}
