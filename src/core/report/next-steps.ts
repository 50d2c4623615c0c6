/** What a person can say to move a batch that is stuck: commands of the command line, the ones that free most first. Pure. */
import type { Batch } from '../batch.ts';
import { isEnded, isUndecided, type Task } from '../task.ts';

const MAX_STEPS = 20;

type StuckTask = Pick<Task, 'id' | 'state' | 'cause' | 'blockers' | 'hold'>;

/** None unless it is stuck. */
export function nextSteps(
  batch: Pick<Batch, 'id' | 'stuck' | 'hold' | 'onFailure'>,
  tasks: readonly StuckTask[],
): readonly string[] {
  if (!batch.stuck) return [];
  const stopped = batch.onFailure === 'stop' && tasks.some(({ state }) => state === 'failed');
  return [
    ...(batch.hold === null ? [] : [`standdown unpause --batch ${batch.id}`]),
    ...(stopped ? [`standdown batch resume ${batch.id}`] : []),
    ...tasks.flatMap(stepOf),
  ].slice(0, MAX_STEPS);
}

function stepOf({ id, state, cause, blockers, hold }: StuckTask): string[] {
  if (isEnded(state)) return [];
  const released = hold !== null || cause === 'blocker' || cause === 'survivors' || isUndecided({ state, cause });
  return [
    ...(blockers.length > 0 ? [`standdown task answer ${id} "…"`] : []),
    ...(released ? [`standdown task release ${id}`] : []),
  ];
}
