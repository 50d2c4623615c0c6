/** What holds for every plan, whatever the observation. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { BlockerView } from '../../../src/core/blockers/blocker.ts';
import type { CloseEpisode, TrackedIssue } from '../../../src/core/issue.ts';
import { OWN_REASONS } from '../../../src/core/own-word.ts';
import type { TaskObservation } from '../../../src/core/plan/observation.ts';
import { planTask } from '../../../src/core/plan/task.ts';
import { DEFAULT_POLICY, type Policy } from '../../../src/core/policy.ts';
import { isLive, type Probe, type Run, type RunState } from '../../../src/core/run.ts';
import { END_STATES, isEnded, type Target, type Task, type TaskState } from '../../../src/core/task.ts';
import {
  aClosedIssue,
  anEpisode,
  anExit,
  anIssue,
  anObservation,
  aRun,
  aRunningProbe,
  aTask,
  at,
} from '../../support/builders.ts';
import { simulate } from '../../support/simulate.ts';

const NOW = at(3_600);
const time = fc.integer({ min: -600, max: 3_600 }).map(at);
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: null });

const episode: fc.Arbitrary<CloseEpisode> = fc
  .record({
    id: fc.constantFrom('episode_1', 'episode_2'),
    state: fc.constantFrom('pending', 'acted', 'voided', 'undone'),
    action: fc.constantFrom('done', 'cancel', 'let_finish', 'ignore'),
    authority: fc.constantFrom('pending', 'granted', 'denied', 'unreadable'),
    reason: fc.constantFrom('completed', 'not_planned', 'duplicate', 'unknown'),
    reopen: fc.constantFrom('pending', 'granted', 'denied', 'unreadable'),
  } as const)
  .map(({ reopen, ...set }) =>
    anEpisode({ ...set, reopen: set.state === 'undone' ? { actor: 'bob', authority: reopen, at: at(20) } : null }),
  );

const issue: fc.Arbitrary<TrackedIssue> = fc
  .record({
    closed: fc.boolean(),
    observedAt: time,
    readDue: fc.boolean(),
    presence: fc.constantFrom('present', 'deleted'),
  } as const)
  .map(({ closed, ...set }) => (closed ? aClosedIssue(set) : anIssue(set)));

const said = fc
  .record({ result: fc.constantFrom('done', 'failed', null), reason: fc.constantFrom(null, ...OWN_REASONS) } as const)
  .map(({ result, reason }) => ({ said: { result, reason: result && reason, until: null, problem: null } }));

const probe: fc.Arbitrary<Probe> = fc.oneof(
  fc.constant<Probe>({ state: 'unclaimed' }),
  fc.constant<Probe>({ state: 'voided' }),
  fc.constant<Probe>({ state: 'no_record' }),
  fc.constant<Probe>({ state: 'no_record', reason: 'nothing was heard since noon' }),
  fc.constant<Probe>({ state: 'unreadable', problem: 'cut in half' }),
  maybe(time).map((lastOutputAt) => aRunningProbe({ lastOutputAt })),
  fc
    .record({ survivors: fc.subarray([11, 12]), said })
    .map(({ survivors, said }): Probe => ({ state: 'vanished', startedAt: at(0), survivors, ...said })),
  fc
    .record({
      exitCode: maybe(fc.integer({ min: 0, max: 255 })),
      endedAt: time,
      survivors: fc.subarray([11, 12]),
      said,
    })
    .map(({ said, ...set }) => anExit({ ...set, ...said })),
);

const target: fc.Arbitrary<Target> = fc
  .record({
    becomes: fc.constantFrom('ended', 'requeued', 'retried'),
    episodeId: fc.constantFrom(null, 'episode_1', 'episode_2'),
  } as const)
  .map(({ becomes, episodeId }) => {
    const ending = { state: 'done', cause: 'issue_completed', actor: 'ann', episodeId } as const;
    if (becomes === 'requeued') {
      return { becomes, requeue: { reason: 'issue_reopened', actor: 'bob', episodeId }, ending, effect: 'close:e' };
    }
    const timeout = { ...ending, state: 'failed', cause: 'timeout' } as const;
    return becomes === 'retried'
      ? { becomes, cause: 'timeout', ending: timeout, effect: null }
      : { becomes, ending, effect: 'close:e' };
  });

const CHECK = { run: ['check'], env: {}, timeoutMinutes: null };

const withRun = fc
  .record({
    state: fc.constantFrom<RunState>('starting', 'running', 'stopping'),
    target,
    probe: maybe(probe),
    termAt: maybe(time),
    killAt: maybe(time),
    timeoutMinutes: fc.constantFrom(null, 1),
    stallMinutes: fc.constantFrom(0, 1),
    attempts: fc.integer({ min: 1, max: 3 }),
    purpose: fc.constantFrom('work', 'verify'),
    verify: fc.constantFrom(null, CHECK),
    overlap: fc.constantFrom('never', 'allowed'),
    evidence: fc.constantFrom(null, { branch: 'work', base: null }),
  } as const)
  .map((set): { task: Task; run: Run; probe: Probe | null } => {
    const stopping = set.state === 'stopping';
    const verify = set.purpose === 'verify' ? CHECK : set.verify;
    const { timeoutMinutes, stallMinutes, overlap, evidence } = set;
    const spec = { ...aTask().spec, verify, timeoutMinutes, stallMinutes, overlap, evidence };
    return {
      task: aTask({
        state: 'running',
        runNumber: 1,
        attempt: 1,
        target: stopping ? set.target : null,
        spec: { ...spec, retry: { attempts: set.attempts, backoffSeconds: 1 } },
      }),
      run: aRun({
        state: set.state,
        purpose: set.purpose,
        startedAt: set.state === 'starting' ? null : at(0),
        cancelRequestedAt: stopping ? at(5) : null,
        termAt: stopping ? set.termAt : null,
        killAt: stopping && set.termAt !== null ? set.killAt : null,
      }),
      probe: set.probe,
    };
  });

const withoutRun = fc
  .record({
    state: fc.constantFrom<TaskState>('waiting', 'ready', 'blocked', ...END_STATES),
    by: fc.constantFrom(null, 'episode_1'),
  })
  .map(({ state, by }): { task: Task; run: null; probe: null } => ({
    task: aTask({ state, endedByEpisodeId: isEnded(state) ? by : null, finishedAt: isEnded(state) ? at(1) : null }),
    run: null,
    probe: null,
  }));

const blocker: fc.Arbitrary<BlockerView> = fc.record({
  label: fc.constantFrom('acme/widgets#7', 'acme/widgets#8'),
  source: fc.constantFrom('dependency', 'body'),
  status: fc.constantFrom('open', 'judging', 'resolved', 'not_completed', 'not_permitted', 'absent', 'refused'),
  actor: fc.constantFrom(null, 'ann'),
  reopenedAt: fc.constantFrom(null, at(5)),
});

const observation: fc.Arbitrary<TaskObservation> = fc
  .record({
    subject: fc.oneof(withRun, withoutRun),
    issue: maybe(issue),
    episode: maybe(episode),
    barred: fc.constantFrom(null, 'superseded', 'batch_cancelled'),
    blockers: fc.array(blocker, { maxLength: 2 }),
    requeuesWithinHour: fc.integer({ min: 0, max: 4 }),
    tally: fc.record({ environmentFailures: fc.integer({ min: 0, max: 4 }), verifies: fc.integer({ min: 1, max: 4 }) }),
    isHeldBack: fc.boolean(),
    evidence: fc.constantFrom<TaskObservation['evidence']>(
      null,
      { found: 'commits', branch: 'work', base: 'main', aheadBy: 2 },
      { found: 'none', why: 'no such branch' },
    ),
    isUninstalled: fc.boolean(),
  })
  .map(({ subject, issue, episode, ...rest }) => {
    const seen = issue === null ? null : episode;
    const ending = subject.task.target?.ending.episodeId ?? null;
    const endingEpisode = ending === null ? null : ending === seen?.id ? seen : anEpisode({ id: ending });
    return { ...subject, ...rest, issue, episode: seen, endingEpisode, graceSeconds: 10 };
  });

const policy: fc.Arbitrary<Policy> = fc
  .record({
    onReopen: fc.constantFrom('requeue_stopped', 'requeue_unsuccessful', 'requeue_all', 'ignore'),
    notify: fc.constantFrom('failures', 'all', 'none'),
  } as const)
  .map((set) => ({ ...DEFAULT_POLICY, ...set }));

describe('every plan', () => {
  it('is the same for the same observation, policy and time', () => {
    fc.assert(
      fc.property(observation, policy, (seen, rules) => {
        expect(planTask(structuredClone(seen), rules, NOW)).toEqual(planTask(seen, rules, NOW));
      }),
    );
  });

  it('changes nothing of what it looked at', () => {
    fc.assert(
      fc.property(observation, policy, (seen, rules) => {
        const before = structuredClone(seen);
        planTask(seen, rules, NOW);
        expect(seen).toEqual(before);
      }),
    );
  });

  it('is quiet after it was applied in a quiet world', () => {
    fc.assert(
      fc.property(observation, policy, (seen, rules) => {
        const readable = seen.probe === null && isLive(seen.run) ? { ...seen, probe: aRunningProbe() } : seen;
        // Beyond every grace, so that the model's obedience to KILL ends what TERM did not.
        const first = simulate(readable, NOW, { policy: rules });
        const later = simulate(first.observation, at(7_200), { policy: rules });
        const last = simulate(later.observation, at(7_200), { policy: rules });
        expect(last.steps).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  it('lets nothing begin beside a run that nobody saw end, unless its task allows it', () => {
    fc.assert(
      fc.property(observation, policy, (seen, rules) => {
        const hasLived = seen.run !== null && seen.run.startedAt !== null;
        if (seen.probe?.state !== 'no_record' || !hasLived || seen.task.spec.overlap === 'allowed') return;
        const settled = planTask(seen, rules, at(7_200)).find((step) => step.step === 'settle');
        if (settled?.step !== 'settle') return;
        expect(settled).toMatchObject({ goneAt: null, result: { state: 'lost', exitCode: null, signal: null } });
        expect(['ended', 'undecided']).toContain(settled.settlement.becomes);
        const { observation: after } = simulate(seen, at(7_200), { policy: rules });
        expect(['waiting', 'ready', 'running']).not.toContain(after.task.state);
      }),
      { numRuns: 2_000 },
    );
  });

  it('makes nothing done that says that it was cut short', () => {
    fc.assert(
      fc.property(observation, policy, (seen, rules) => {
        const own = seen.probe?.state === 'exited' ? seen.probe.said : undefined;
        if (own === undefined || (own.reason === null && own.result !== 'failed')) return;
        for (const step of planTask(seen, rules, NOW)) {
          if (step.step === 'settle') expect(step.result.state).not.toBe('succeeded');
        }
      }),
      { numRuns: 1_000 },
    );
  });

  it('writes no end of a run that was not seen gone', () => {
    fc.assert(
      fc.property(observation, policy, (seen, rules) => {
        const settles = planTask(seen, rules, NOW).some((step) => step.step === 'settle' || step.step === 'mark_gone');
        const probe = seen.probe;
        const alive =
          probe === null ||
          probe.state === 'running' ||
          probe.state === 'unreadable' ||
          ((probe.state === 'exited' || probe.state === 'vanished') && probe.survivors.length > 0);
        if (alive) expect(settles).toBe(false);
      }),
      { numRuns: 1_000 },
    );
  });

  it('never stops for what is unknown: no issue, no answer of the runner, no deadline', () => {
    fc.assert(
      fc.property(withRun, ({ task, run }) => {
        const patient = { ...task, spec: { ...task.spec, timeoutMinutes: null } };
        const seen = anObservation({ task: patient, run, probe: null, issue: null });
        const steps = planTask(seen, DEFAULT_POLICY, NOW);
        const stops = steps.filter((step) => step.step === 'stop' || step.step === 'end' || step.step === 'settle');
        if (run.state !== 'stopping') expect(stops).toEqual([]);
      }),
    );
  });

  it('starts nothing while the issue is closed and not ignored', () => {
    fc.assert(
      fc.property(observation, policy, (seen, rules) => {
        const forbids =
          seen.issue?.state === 'closed' && seen.episode?.state === 'acted' && seen.episode.action === 'cancel';
        if (!forbids) return;
        const steps = planTask(seen, rules, NOW);
        const begins = steps.filter(({ step }) => step === 'start' || step === 'requeue');
        const verifies = steps.filter((step) => step.step === 'settle' && step.settlement.becomes === 'verifying');
        expect([...begins, ...verifies]).toEqual([]);
      }),
      { numRuns: 1_000 },
    );
  });

  it('is the same whatever is to be told, but for what is told', () => {
    const untold = (key: string, value: unknown) => (key === 'effect' ? undefined : value);
    fc.assert(
      fc.property(observation, policy, (seen, rules) => {
        const steps = planTask(seen, rules, NOW);
        const silent = planTask(seen, { ...rules, notify: 'none' }, NOW);
        expect(JSON.stringify(steps, untold)).toBe(JSON.stringify(silent, untold));
      }),
      { numRuns: 1_000 },
    );
  });

  it('never has two steps that start or requeue', () => {
    fc.assert(
      fc.property(observation, policy, (seen, rules) => {
        const starts = planTask(seen, rules, NOW).filter((step) => step.step === 'start' || step.step === 'requeue');
        expect(starts.length).toBeLessThanOrEqual(1);
      }),
    );
  });
});
