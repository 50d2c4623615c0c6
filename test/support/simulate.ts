/** Carries plans out in memory: transitions are the real ones, the runner is a model that obeys signals. */
import type { TaskObservation } from '../../src/core/plan/observation.ts';
import type { Step } from '../../src/core/plan/steps.ts';
import { planTask } from '../../src/core/plan/task.ts';
import { DEFAULT_POLICY, type Policy } from '../../src/core/policy.ts';
import type { Probe } from '../../src/core/run.ts';
import { type RowStep, transition } from '../../src/engine/transition/index.ts';

/** What a runner says after it was asked for something. */
export type RunnerModel = (probe: Probe | null, step: Step, now: Date) => Probe | null;

export const obedient: RunnerModel = (probe, step, now) => {
  if (step.step === 'start') return { state: 'running', startedAt: now, lastOutputAt: null, containment: 'pidns' };
  if (step.step !== 'signal') return probe;
  if (step.mode === 'void')
    return probe?.state === 'unclaimed' || probe?.state === 'no_record' ? { state: 'voided' } : probe;
  if (probe?.state === 'running') {
    const signal = step.mode === 'term' ? 'TERM' : 'KILL';
    const ended = { exitCode: null, signal, startedAt: probe.startedAt, endedAt: new Date(now.getTime() + 1) };
    return { state: 'exited', ...ended, survivors: [], containment: probe.containment };
  }
  if (probe?.state === 'exited' || probe?.state === 'vanished') return { ...probe, survivors: [] };
  return probe;
};

export interface Simulated {
  observation: TaskObservation;
  steps: readonly Step[];
  /** Whether a plan without anything but rechecks was reached. */
  quiet: boolean;
}

export function simulate(
  start: TaskObservation,
  now: Date,
  {
    policy = DEFAULT_POLICY,
    runner = obedient,
    rounds = 12,
  }: { policy?: Policy; runner?: RunnerModel; rounds?: number } = {},
): Simulated {
  let observation = start;
  const applied: Step[] = [];
  for (let round = 0; round < rounds; round++) {
    const steps = planTask(observation, policy, now).filter((step) => step.step !== 'recheck');
    if (steps.length === 0) return { observation, steps: applied, quiet: true };
    for (const step of steps) observation = applyOne(observation, step, now, runner);
    applied.push(...steps);
  }
  return { observation, steps: applied, quiet: false };
}

function applyOne(o: TaskObservation, step: Step, now: Date, runner: RunnerModel): TaskObservation {
  switch (step.step) {
    case 'start':
      return { ...o, probe: runner(o.probe, step, now) };
    case 'signal': {
      const set = step.mode === 'term' ? { termAt: now } : step.mode === 'kill' ? { killAt: now } : {};
      return { ...o, run: o.run && { ...o.run, ...set }, probe: runner(o.probe, step, now) };
    }
    case 'seek_evidence':
      return { ...o, evidence: { found: 'none', why: 'nothing is there' } };
    case 'refresh_issue':
      return { ...o, issue: o.issue && { ...o.issue, observedAt: now, readDue: false } };
    default: {
      const { task, run } = transition({ task: o.task, run: o.run }, step as RowStep, now);
      const endingEpisode = task.target?.ending.episodeId === o.episode?.id ? o.episode : o.endingEpisode;
      // A run that has just been made is not known to its runner.
      const probe: Probe | null = run?.id === o.run?.id ? o.probe : { state: 'unclaimed' };
      return { ...o, task, run, probe, endingEpisode };
    }
  }
}
