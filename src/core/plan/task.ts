/**
 * The plan of one task: what to do now, given what is known. Pure: no clock, no I/O, no await. Applied in a quiet world, the
 * next plan holds nothing but rechecks. What it cannot know (an unreachable runner, an unread issue) never stops anything.
 */
import type { Policy } from '../policy.ts';
import { isLive } from '../run.ts';
import { isEnded } from '../task.ts';
import { nextPurpose } from '../verify.ts';
import { planBlockers } from './blocked.ts';
import { closeInForce, endingOfAbsence, endingOfClose, UNINSTALLED } from './close.ts';
import { planLiveRun } from './live-run.ts';
import type { TaskObservation } from './observation.ts';
import { planReopen } from './reopen.ts';
import { absenceEffect, closeEffect, type Step } from './steps.ts';
import { toldAsWished } from './told.ts';

export function planTask(observation: TaskObservation, policy: Policy, now: Date): readonly Step[] {
  return planSteps(observation, policy, now).map((step) => toldAsWished(step, observation.task, policy));
}

function planSteps(observation: TaskObservation, policy: Policy, now: Date): readonly Step[] {
  const { task, run, issue } = observation;
  if (isLive(run)) return planLiveRun(observation, run, policy, now);
  // What has ended stays as it is: nobody could be told, and what it would run may not be read.
  if (isEnded(task.state)) return observation.isUninstalled ? [] : planReopen(observation, policy, now);
  if (observation.isUninstalled) return [{ step: 'end', ending: UNINSTALLED, effect: null }];

  const close = closeInForce(observation);
  if (close !== null) {
    // What had not started ends, also where what runs may finish.
    const finishes = close.action === 'let_finish' && nextPurpose(task, run) === 'verify';
    if (close.action === 'ignore' || finishes) return [{ step: 'exempt', episodeId: close.id }];
    const ending = endingOfClose(close);
    return ending === null ? [] : [{ step: 'end', ending, effect: closeEffect(close.id) }];
  }
  if (issue !== null && issue.presence !== 'present') {
    return [{ step: 'end', ending: endingOfAbsence(issue.presence), effect: absenceEffect(issue) }];
  }
  return planBlockers(observation);
}
