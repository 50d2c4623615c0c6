/** The whole event table: what each event does to a task, by the task's state. Generated, so that no cell is forgotten. */
import { describe, expect, it } from 'vitest';
import { type Command, decide, decideLink, type Verb } from '../../src/core/command.ts';
import { planBatch } from '../../src/core/plan/batch.ts';
import type { TaskObservation } from '../../src/core/plan/observation.ts';
import { DEFAULT_POLICY } from '../../src/core/policy.ts';
import { isEnded, type Task, type TaskState } from '../../src/core/task.ts';
import { nextPurpose } from '../../src/core/verify.ts';
import { type RowStep, transition } from '../../src/engine/transition/index.ts';
import {
  aBatch,
  aClosedIssue,
  aLookAt,
  aMember,
  anEpisode,
  anExit,
  anIssue,
  anObservation,
  aRun,
  aRunningProbe,
  aTask,
  at,
  T0,
} from '../support/builders.ts';
import { simulate } from '../support/simulate.ts';

const NOW = at(30);
const IDLE = ['waiting', 'ready', 'blocked'] as const;
const ENDED = ['done', 'failed', 'cancelled', 'skipped'] as const;

const byPerson = { state: 'cancelled', cause: 'api', actor: 'ann', episodeId: null } as const;
const byClose = { state: 'done', cause: 'issue_completed', actor: 'ann', episodeId: 'episode_1' } as const;
const byTimeout = { state: 'failed', cause: 'timeout', actor: 'standdown', episodeId: null } as const;

function idle(state: (typeof IDLE)[number]): Task {
  const blockers = state === 'blocked' ? [{ id: 'q', question: 'which?', actor: 'bob', at: T0 }] : [];
  return aTask({ state, blockers, needs: state === 'waiting' ? ['fetch'] : [] });
}

function ended(state: (typeof ENDED)[number], set: Partial<Task> = {}): Task {
  return aTask({ state, cause: 'api', actor: 'bob', finishedAt: T0, runNumber: 1, attempt: 1, ...set });
}

const runningTask = () => aTask({ state: 'running', runNumber: 1, attempt: 1 });
const starting = () => ({ task: runningTask(), run: aRun({ state: 'starting', startedAt: null }) });
const running = () => ({ task: runningTask(), run: aRun() });
const stopping = (target: NonNullable<Task['target']>) => ({
  task: aTask({ state: 'running', runNumber: 1, attempt: 1, target }),
  run: aRun({ state: 'stopping', cancelRequestedAt: at(5), termAt: at(5) }),
});

function closed(set: Partial<TaskObservation>, action: 'done' | 'let_finish' | 'ignore' = 'done'): TaskObservation {
  const episode = anEpisode({ action });
  return anObservation({ issue: aClosedIssue(), episode, ...set });
}

const reopenedBy = (authority: 'granted' | 'denied' | 'unreadable' = 'granted') =>
  anEpisode({ state: 'undone', reopen: { actor: 'bob', authority, at: at(25) } });

function command(verb: Verb, subject: { task: Task; run?: TaskObservation['run']; issue?: TaskObservation['issue'] }) {
  const words: Command = { verb, id: 'c1', actor: 'ann', cause: 'api', text: 'why not' };
  return decide(words, { run: null, issue: anIssue(), ...subject }, NOW);
}

/** The subject after the command; a refusal fails the test. */
function afterwards(verb: Verb, subject: { task: Task; run?: TaskObservation['run'] }) {
  const decision = command(verb, subject);
  if ('conflict' in decision) throw new Error(`${verb}: ${decision.conflict}`);
  const start: { task: Task; run: TaskObservation['run'] } = { run: null, ...subject };
  return decision.steps.reduce((now, step) => transition(now, step as RowStep, NOW), start);
}

describe('a close', () => {
  it.each(IDLE)('ends a %s task at once', (state) => {
    const { observation, quiet } = simulate(closed({ task: idle(state) }), NOW);
    expect(observation.task).toMatchObject({
      state: 'done',
      cause: 'issue_completed',
      actor: 'ann',
      endedByEpisodeId: 'episode_1',
    });
    expect(quiet).toBe(true);
  });

  it('stops a run that has not been claimed by voiding its start', () => {
    const { observation, steps } = simulate(closed({ ...starting(), probe: { state: 'unclaimed' } }), NOW);
    expect(steps).toContainEqual({ step: 'signal', mode: 'void' });
    expect(observation.run?.state).toBe('cancelled');
    expect(observation.task.state).toBe('done');
  });

  it('stops a running run with TERM, without any retry', () => {
    const task = { ...runningTask(), spec: { ...aTask().spec, retry: { attempts: 3, backoffSeconds: 1 } } };
    const { observation, steps } = simulate(closed({ task, run: aRun(), probe: aRunningProbe() }), NOW);
    expect(steps.slice(0, 2)).toMatchObject([{ step: 'stop' }, { step: 'signal', mode: 'term' }]);
    expect(observation.run).toMatchObject({ state: 'cancelled', cause: 'issue_completed', signal: 'TERM' });
    expect(observation.task).toMatchObject({ state: 'done', cause: 'issue_completed' });
  });

  it('leaves the first cause of a stopping run in force', () => {
    const subject = stopping({ becomes: 'ended', ending: byPerson, effect: 'command:c0' });
    const { observation } = simulate(closed({ ...subject, probe: anExit({ exitCode: null, signal: 'TERM' }) }), NOW);
    expect(observation.task).toMatchObject({ state: 'cancelled', cause: 'api', endedByEpisodeId: null });
  });

  it('takes a pending retry over', () => {
    const subject = stopping({ becomes: 'retried', cause: 'timeout', ending: byTimeout, effect: 'failure:task_1:1' });
    const { observation } = simulate(closed({ ...subject, probe: anExit({ exitCode: null, signal: 'TERM' }) }), NOW);
    expect(observation.task).toMatchObject({ state: 'done', cause: 'issue_completed', endedByEpisodeId: 'episode_1' });
  });

  it.each(ENDED)('leaves a %s task as it is', (state) => {
    const { observation, steps } = simulate(closed({ task: ended(state) }), NOW);
    expect(steps).toEqual([]);
    expect(observation.task.state).toBe(state);
  });

  it('with let_finish lets the run go on, ends what had not started, and retries nothing', () => {
    const run = simulate(closed({ ...running(), probe: aRunningProbe() }, 'let_finish'), NOW);
    expect(run.observation.run?.state).toBe('running');
    const fails = simulate(
      closed(
        {
          ...run.observation,
          task: { ...run.observation.task, spec: { ...aTask().spec, retry: { attempts: 3, backoffSeconds: 1 } } },
          probe: anExit({ exitCode: 3 }),
        },
        'let_finish',
      ),
      NOW,
    );
    expect(fails.observation.task).toMatchObject({ state: 'failed', cause: 'run_failed' });
    expect(simulate(closed({ task: idle('ready') }, 'let_finish'), NOW).observation.task.state).toBe('cancelled');
  });

  it('with ignore exempts the task for that close', () => {
    const { observation } = simulate(closed({ ...running(), probe: aRunningProbe() }, 'ignore'), NOW);
    expect(observation.run?.state).toBe('running');
    expect(observation.task.exemptEpisodeId).toBe('episode_1');
    expect(simulate(closed({ task: idle('ready') }, 'ignore'), NOW).observation.task.state).toBe('ready');
  });

  it('by somebody who may not say done stops all the same, and ends the task cancelled', () => {
    const episode = anEpisode({ authority: 'denied' });
    const seen = closed({ ...running(), probe: aRunningProbe(), episode });
    const { observation } = simulate({ ...seen, endingEpisode: episode }, NOW);
    expect(observation.run?.state).toBe('cancelled');
    expect(observation.task).toMatchObject({ state: 'cancelled', cause: 'issue_closed' });
  });

  it('stops at once while the closer’s permission is still being read, and ends the task when it is', () => {
    const pending = anEpisode({ authority: 'pending' });
    const stopped = simulate(closed({ ...running(), probe: aRunningProbe(), episode: pending }), NOW);
    expect(stopped.observation.run).toMatchObject({ state: 'stopping', goneAt: NOW });
    expect(stopped.quiet).toBe(true);
    const episode = anEpisode();
    const known = simulate({ ...stopped.observation, episode, endingEpisode: episode }, at(31));
    expect(known.observation.task.state).toBe('done');
    expect(known.observation.run).toMatchObject({ state: 'cancelled', goneAt: NOW });
  });
});

describe('a reopen', () => {
  it.each(ENDED)('requeues a %s task that this close ended', (state) => {
    const task = ended(state, { endedByEpisodeId: 'episode_1' });
    const { observation, steps } = simulate(anObservation({ task, episode: reopenedBy() }), NOW);
    expect(steps.map((step) => step.step)).toEqual(['requeue']);
    expect(observation.task).toMatchObject({
      state: 'ready',
      generation: 2,
      attempt: 0,
      requeueReason: 'issue_reopened',
    });
  });

  it.each(ENDED)('leaves a %s task that something else ended', (state) => {
    expect(simulate(anObservation({ task: ended(state), episode: reopenedBy() }), NOW).steps).toEqual([]);
  });

  it('while the run is stopping requeues only after it is seen gone, and tells it in one comment', () => {
    const subject = stopping({ becomes: 'ended', ending: byClose, effect: 'close:episode_1' });
    const seen = anObservation({
      ...subject,
      probe: aRunningProbe(),
      episode: reopenedBy(),
      endingEpisode: reopenedBy(),
    });
    const still = simulate(seen, at(6), { runner: (probe) => probe });
    expect(still.observation.task).toMatchObject({
      state: 'running',
      target: { becomes: 'requeued', effect: 'close:episode_1' },
    });
    const gone = simulate({ ...still.observation, probe: anExit({ exitCode: null, signal: 'TERM' }) }, NOW);
    expect(gone.observation.task).toMatchObject({ state: 'ready', generation: 2 });
    expect(gone.observation.run?.state).toBe('cancelled');
  });

  it('allows retries again after let_finish', () => {
    const task = { ...runningTask(), exemptEpisodeId: 'episode_1' };
    const seen = anObservation({ task, run: aRun(), probe: aRunningProbe(), episode: reopenedBy() });
    expect(simulate(seen, NOW).observation.task.exemptEpisodeId).toBeNull();
  });

  it.each(['denied', 'unreadable'] as const)(
    'by somebody whose permission is %s starts nothing and says so once',
    (authority) => {
      const task = ended('cancelled', { endedByEpisodeId: 'episode_1' });
      const { observation, steps, quiet } = simulate(anObservation({ task, episode: reopenedBy(authority) }), NOW);
      expect(steps.map((step) => step.step)).toEqual(['refuse']);
      expect(observation.task.state).toBe('cancelled');
      expect(quiet).toBe(true);
    },
  );

  it('of a flapping issue holds the task instead of starting it over and over', () => {
    const task = ended('done', { endedByEpisodeId: 'episode_1' });
    const seen = anObservation({ task, episode: reopenedBy(), requeuesWithinHour: DEFAULT_POLICY.maxRequeuesPerHour });
    expect(simulate(seen, NOW).observation.task).toMatchObject({ state: 'ready', hold: { actor: 'standdown' } });
  });

  it('requeues nothing where a newer batch of that name exists, or the window is over', () => {
    const task = ended('done', { endedByEpisodeId: 'episode_1' });
    const seen = anObservation({ task, episode: reopenedBy() });
    expect(simulate({ ...seen, barred: 'superseded' }, NOW).steps).toMatchObject([
      { step: 'refuse', why: 'superseded' },
    ]);
    expect(simulate(seen, at(15 * 86_400)).steps).toMatchObject([{ step: 'refuse', why: 'too_late' }]);
  });

  it.each(['requeue_unsuccessful', 'requeue_all'] as const)('with %s is about what had ended by then', (onReopen) => {
    const policy = { ...DEFAULT_POLICY, onReopen };
    const stepsOf = (finishedAt: Date) =>
      simulate(anObservation({ task: ended('failed', { finishedAt }), episode: reopenedBy() }), NOW, { policy }).steps;
    expect(stepsOf(at(24)).map((step) => step.step)).toEqual(['requeue']);
    expect(stepsOf(at(26))).toEqual([]);
  });
});

describe.each([
  ['cancel', 'cancelled'],
  ['skip', 'skipped'],
] as const)('%s', (verb, end) => {
  it.each(IDLE)('ends a %s task', (state) => {
    expect(afterwards(verb, { task: idle(state) }).task).toMatchObject({ state: end, cause: 'api', actor: 'ann' });
  });
  it('stops a run', () => {
    expect(afterwards(verb, running())).toMatchObject({
      run: { state: 'stopping' },
      task: { target: { ending: { state: end } } },
    });
    expect(afterwards(verb, starting()).run?.state).toBe('stopping');
  });
  it('answers 409 with the time while the run is stopping', () => {
    const subject = stopping({ becomes: 'ended', ending: byPerson, effect: null });
    expect(command(verb, subject)).toEqual({ conflict: expect.stringContaining(at(5).toISOString()) });
  });
  it.each(ENDED)('answers 409 for a %s task, and names what works from there', (state) => {
    const ways = `: retry runs it again${state === 'done' ? '' : ', done counts it as done'}`;
    expect(command(verb, { task: ended(state) })).toEqual({
      conflict: expect.stringMatching(new RegExp(` is ${state} since .*${ways}$`)),
    });
  });
});

describe('done by a person', () => {
  it.each(IDLE)('makes a %s task done', (state) => {
    expect(afterwards('done', { task: idle(state) }).task).toMatchObject({ state: 'done', cause: 'api' });
  });
  it('stops a run, and the killed run’s exit code does not overturn it', () => {
    const { task, run } = afterwards('done', running());
    const killed = simulate(anObservation({ task, run, probe: aRunningProbe() }), NOW);
    expect(killed.observation.task.state).toBe('done');
    expect(killed.observation.run?.state).toBe('cancelled');
  });
  it('becomes the target of a stopping run', () => {
    const subject = stopping({ becomes: 'ended', ending: byPerson, effect: null });
    expect(afterwards('done', subject).task.target).toMatchObject({ becomes: 'ended', ending: { state: 'done' } });
  });
  it.each(['failed', 'cancelled', 'skipped'] as const)('turns a %s task into done', (state) => {
    expect(afterwards('done', { task: ended(state) }).task.state).toBe('done');
  });
  it('answers 409 for a done task', () => {
    expect(command('done', { task: ended('done') })).toHaveProperty('conflict');
  });
});

describe('retry', () => {
  it('names answer for a blocked task, release for a held one, and is refused otherwise', () => {
    expect(command('retry', { task: idle('blocked') })).toEqual({ conflict: expect.stringContaining('answer') });
    const held = { ...idle('ready'), hold: { reason: null, actor: 'bob', at: T0 } };
    expect(command('retry', { task: held })).toEqual({ conflict: expect.stringContaining('release') });
    expect(command('retry', { task: idle('waiting') })).toHaveProperty('conflict');
    expect(command('retry', running())).toHaveProperty('conflict');
    expect(command('retry', stopping({ becomes: 'ended', ending: byPerson, effect: null }))).toHaveProperty('conflict');
  });
  it.each(ENDED)('requeues a %s task in a new generation', (state) => {
    const { task } = afterwards('retry', { task: ended(state) });
    expect(task).toMatchObject({ state: 'ready', generation: 2, attempt: 0, requeueReason: 'retry', finishedAt: null });
  });
  it('on a closed issue says to reopen it first', () => {
    const decision = command('retry', { task: ended('failed'), issue: aClosedIssue() });
    expect(decision).toEqual({ conflict: '#12 is closed: reopen it first', code: 'issue_closed' });
  });
});

describe('hold and block', () => {
  const live: [string, { task: Task; run?: TaskObservation['run'] }][] = [
    ...IDLE.map((state): [string, { task: Task }] => [state, { task: idle(state) }]),
    ['running', running()],
    ['stopping', stopping({ becomes: 'ended', ending: byPerson, effect: null })],
  ];
  it.each(live)('hold sets its flag on a %s task, and a run goes on', (_state, subject) => {
    const held = afterwards('hold', subject);
    expect(held.task).toMatchObject({ hold: { reason: 'why not', actor: 'ann' }, state: subject.task.state });
    expect(held.run?.state).toBe(subject.run?.state);
    expect(afterwards('release', held).task.hold).toBeNull();
  });
  it.each(IDLE)('block makes a %s task blocked, and its answer lets it go on', (state) => {
    const blocked = afterwards('block', { task: idle(state) });
    expect(blocked.task.state).toBe('blocked');
    const expected: TaskState = state === 'waiting' ? 'waiting' : 'ready';
    const answered = simulate(anObservation(afterwards('answer', blocked)), NOW).observation.task;
    expect(answered).toMatchObject({ state: expected, blockers: [], requeueReason: 'blocker_resolved', generation: 2 });
  });
  it('block lets a run go on and keeps its retry from starting', () => {
    const blocked = afterwards('block', running());
    expect(blocked).toMatchObject({ run: { state: 'running' }, task: { state: 'running' } });
    const task = { ...blocked.task, spec: { ...aTask().spec, retry: { attempts: 2, backoffSeconds: 1 } } };
    const failed = simulate(anObservation({ task, run: blocked.run, probe: anExit({ exitCode: 1 }) }), NOW);
    expect(failed.observation.task.state).toBe('blocked');
  });
  it.each(ENDED)('both answer 409 for a %s task', (state) => {
    expect(command('hold', { task: ended(state) })).toHaveProperty('conflict');
    expect(command('block', { task: ended(state) })).toHaveProperty('conflict');
  });
  it('a hold outlives close and reopen', () => {
    const hold = { reason: 'look first', actor: 'bob', at: T0 };
    const closedOnce = simulate(closed({ task: { ...idle('ready'), hold } }), NOW).observation;
    const reopened = simulate({ ...closedOnce, issue: anIssue(), episode: reopenedBy() }, NOW).observation;
    expect(reopened.task).toMatchObject({ state: 'ready', hold });
  });
});

describe('a need that is requeued', () => {
  const batch = aBatch();
  const need = aTask({ id: 'task_0', key: 'fetch', state: 'ready', generation: 2 });
  const moves = (task: Task) =>
    planBatch(batch, aLookAt([need, task].map(aMember))).flatMap((step) =>
      step.step === 'set_state' ? [] : [step.step],
    );

  it('sends a ready task back to waiting', () => {
    expect(moves(aTask({ state: 'ready', needs: ['fetch'] }))).toEqual(['make_waiting']);
  });
  it('leaves a running task untouched', () => {
    expect(moves(aTask({ state: 'running', needs: ['fetch'] }))).toEqual([]);
  });
  it('makes what it had skipped wait again, and leaves other ends', () => {
    expect(moves(aTask({ state: 'skipped', cause: 'dependency', needs: ['fetch'] }))).toEqual(['make_waiting']);
    expect(moves(aTask({ state: 'skipped', cause: 'api', needs: ['fetch'] }))).toEqual([]);
    for (const state of ['done', 'failed', 'cancelled'] as const) {
      expect(moves(aTask({ state, needs: ['fetch'] }))).toEqual([]);
    }
  });
});

describe('a link to another issue', () => {
  const other = anIssue({ number: 13, nodeId: 'I_13' });
  it('is made in every state but stopping, and forgets the episode', () => {
    const subjects = [
      ...IDLE.map(idle),
      runningTask(),
      ...ENDED.map((state) => ended(state, { endedByEpisodeId: 'episode_1' })),
    ];
    for (const task of subjects) {
      const run = task.state === 'running' ? aRun() : null;
      const decision = decideLink(other, { task, run, issue: anIssue() }, 'ann');
      if ('conflict' in decision) throw new Error(decision.conflict);
      const linked = decision.steps.reduce((now, step) => transition(now, step as RowStep, NOW), { task, run });
      expect(linked.task).toMatchObject({ issueNumber: 13, endedByEpisodeId: null, state: task.state });
    }
  });
  it('is refused while the run is stopping, and to an issue that is closed or gone', () => {
    const subject = stopping({ becomes: 'ended', ending: byPerson, effect: null });
    expect(decideLink(other, { ...subject, issue: null }, 'ann')).toHaveProperty('conflict');
    const gone = anIssue({ number: 13, presence: 'deleted' });
    expect(decideLink(gone, { task: idle('ready'), run: null, issue: null }, 'ann')).toEqual({
      conflict: '#13 was deleted',
    });
    const closedOther = aClosedIssue({ number: 13 });
    expect(decideLink(closedOther, { task: idle('ready'), run: null, issue: null }, 'ann')).toEqual({
      ...{ conflict: '#13 is closed: reopen it first', code: 'issue_closed' },
    });
  });
});

describe('a task with a verify stage', () => {
  const spec = { ...aTask().spec, verify: { run: ['check'], env: {}, timeoutMinutes: null } };
  const work = () => ({ task: { ...runningTask(), spec }, run: aRun() });
  const verifying = () => ({
    task: aTask({ state: 'running', runNumber: 2, attempt: 1, spec }),
    run: aRun({ id: 'run_1_verify', number: 2, purpose: 'verify' }),
    tally: { environmentFailures: 0, verifies: 1 },
  });
  const unverified = () => aTask({ state: 'blocked', cause: 'no_verdict', runNumber: 2, attempt: 1, spec });
  const succeeded = anExit({ endedAt: at(20) });
  const killed = anExit({ exitCode: null, signal: 'KILL' });

  it('a close stops its verify run like any run, and sends none again', () => {
    const seen = closed({ ...verifying(), probe: aRunningProbe() });
    const { observation } = simulate(seen, NOW);
    expect(observation.run).toMatchObject({ state: 'cancelled', signal: 'TERM' });
    expect(observation.task).toMatchObject({ state: 'done', cause: 'issue_completed', endedByEpisodeId: 'episode_1' });
    expect(simulate({ ...seen, probe: killed }, NOW).observation.task).toMatchObject({ cause: 'issue_completed' });
  });

  it('a close after its work’s success begins no verify run, and is what ends it', () => {
    const denied = anEpisode({ authority: 'denied' });
    for (const [episode, end] of [
      [anEpisode(), 'done'],
      [denied, 'cancelled'],
    ] as const) {
      const { observation } = simulate(closed({ ...work(), probe: succeeded, episode, endingEpisode: episode }), NOW);
      expect(observation.run).toMatchObject({ number: 1, state: 'succeeded', exitCode: 0 });
      expect(observation.task).toMatchObject({ state: end, endedByEpisodeId: 'episode_1', runNumber: 1 });
    }
  });

  it('a verdict that was there before the close is what counts', () => {
    expect(simulate(closed({ ...verifying(), probe: succeeded }), NOW).observation.task).toMatchObject({
      ...{ state: 'done', cause: 'run_succeeded', endedByEpisodeId: null },
    });
  });

  it('let_finish lets the run and its verify run finish, also one that is sent again', () => {
    const finishing = simulate(closed({ ...work(), probe: succeeded }, 'let_finish'), NOW).observation;
    expect(finishing.run).toMatchObject({ purpose: 'verify', state: 'running' });
    expect(simulate({ ...finishing, probe: succeeded }, NOW).observation.task.state).toBe('done');
    const sent = simulate(closed({ ...verifying(), probe: killed }, 'let_finish'), NOW);
    expect(sent.observation.task).toMatchObject({ state: 'ready', exemptEpisodeId: 'episode_1' });
    const late = { becomes: 'retried', cause: 'timeout', ending: byTimeout, effect: null } as const;
    const { task, run, tally } = verifying();
    const stopped = { run: { ...run, state: 'stopping' as const, cancelRequestedAt: at(5), termAt: at(5) }, tally };
    const seen = closed({ ...stopped, task: { ...task, target: late }, probe: killed }, 'let_finish');
    expect(simulate(seen, NOW).observation.task).toMatchObject({ state: 'ready', runNumber: 2 });
    const waits = { ...sent.observation, task: { ...sent.observation.task, exemptEpisodeId: null } };
    expect(simulate(waits, NOW).observation.task).toMatchObject({ state: 'ready', exemptEpisodeId: 'episode_1' });
  });

  it.each(['cancel', 'skip', 'done'] as const)('%s stops its verify run', (verb) => {
    const { task, run } = afterwards(verb, verifying());
    expect(run?.state).toBe('stopping');
    const { observation } = simulate(anObservation({ task, run, probe: aRunningProbe() }), NOW);
    expect(observation.task).toMatchObject({ cause: 'api', runNumber: 2 });
    expect(observation.task.state).toBe(task.target?.ending.state);
  });

  it('a reopen starts at the work', () => {
    const ends = simulate(closed({ ...verifying(), probe: aRunningProbe() }), NOW).observation;
    const { task, run } = simulate({ ...ends, issue: anIssue(), episode: reopenedBy() }, NOW).observation;
    expect(task).toMatchObject({ state: 'ready', generation: 2, attempt: 0 });
    expect(nextPurpose(task, run)).toBe('work');
  });

  it('without a verdict goes on by release, done, skip or cancel alone', () => {
    expect(afterwards('release', { task: unverified() }).task).toMatchObject({
      state: 'ready',
      generation: 2,
      attempt: 0,
    });
    for (const verb of ['done', 'skip', 'cancel'] as const) {
      expect(isEnded(afterwards(verb, { task: unverified() }).task.state)).toBe(true);
    }
    expect(command('retry', { task: unverified() })).toEqual({ conflict: expect.stringContaining('release') });
    expect(command('release', { task: unverified(), issue: aClosedIssue() })).toMatchObject({ code: 'issue_closed' });
    expect(simulate(anObservation({ task: unverified() }), NOW).steps).toEqual([]);
    expect(simulate(closed({ task: unverified() }), NOW).observation.task).toMatchObject({ cause: 'issue_completed' });
  });
});
