/**
 * Which ends that nobody asked for are told in a comment, as `notify` says: decided when the run is told to stop for its deadline,
 * or when it is seen to have ended by itself.
 */
import type { Policy } from '../policy.ts';
import type { Task } from '../task.ts';
import { isOfFailure, type Step, successEffect } from './steps.ts';

/** The same step, told or untold. */
export function toldAsWished(step: Step, task: Task, { notify }: Policy): Step {
  if (step.step === 'stop') {
    const { target } = step;
    return notify === 'none' && isOfFailure(target.effect) ? { ...step, target: { ...target, effect: null } } : step;
  }
  if (step.step === 'settle' && step.settlement.becomes === 'undecided') {
    return notify === 'none' ? { ...step, settlement: { ...step.settlement, effect: null } } : step;
  }
  if (step.step !== 'settle' || step.settlement.becomes !== 'ended' || step.settlement.hadFinished) return step;
  const { settlement, result } = step;
  const tell = (effect: string | null): Step => ({ ...step, settlement: { ...settlement, effect } });
  // What a stop was recorded with was decided then, and may have been told of already.
  const isDecided = task.target !== null && task.target.effect === settlement.effect;
  if (notify === 'none' && isOfFailure(settlement.effect) && !isDecided) return tell(null);
  const hasSucceeded = settlement.effect === null && result.cause === 'run_succeeded';
  return notify === 'all' && hasSucceeded ? tell(successEffect(task.id, task.generation)) : step;
}
