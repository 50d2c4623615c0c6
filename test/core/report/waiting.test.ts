import { describe, expect, it } from 'vitest';
import type { Batch } from '../../../src/core/batch.ts';
import { type SeenBlocker, type WaitingFacts, waitingOn } from '../../../src/core/report/waiting.ts';
import { TASK_STATES } from '../../../src/core/task.ts';
import { aTask, at, T0 } from '../../support/builders.ts';

const now = at(300);
const hold = { reason: 'quota', actor: 'ann', at: T0 };

const batch: Batch = {
  ...{ id: 'batch_1', repositoryId: '1', name: 'nightly', strategy: 'parallel', maxParallel: 4, onFailure: 'stop' },
  ...{
    state: 'running',
    stuck: false,
    hold: null,
    order: null,
    issueNumber: null,
    createdAt: T0,
    finishedAt: null,
    version: 1,
  },
};

function facts(set: Partial<WaitingFacts> = {}): WaitingFacts {
  return {
    ...{ task: aTask(), now, repository: 'acme/widgets', batch, holds: [], issue: null, blockers: [] },
    ...{ survivors: null, needs: [], failed: null, outOfReach: null, otherRunners: null, limits: [] },
    ...set,
  };
}

function blocker(set: Partial<SeenBlocker> = {}): SeenBlocker {
  const label = 'acme/widgets#7';
  return { label, source: 'body', status: 'open', actor: null, reopenedAt: null, observedAt: at(240), ...set };
}

/** From what counts most to what counts least: each with the words for it. */
const REASONS: readonly [string, (f: WaitingFacts) => WaitingFacts, string][] = [
  [
    'a repository that is out of reach',
    (f) => ({ ...f, outOfReach: { access: 'suspended', since: at(290) } }),
    'the App is suspended on acme/widgets, as seen 10 s ago',
  ],
  ['a hold of its own', (f) => ({ ...f, task: { ...f.task, hold } }), 'on hold by ann for 5 min: quota'],
  [
    'a hold of its batch',
    (f) => ({ ...f, batch: { ...batch, ...f.batch, hold: { ...hold, reason: null } } }),
    'batch nightly is on hold by ann for 5 min',
  ],
  [
    'a hold of its runner',
    (f) => ({ ...f, holds: [...f.holds, { ...hold, scope: { kind: 'runner', runner: 'local' } }] }),
    'runner local is on hold by ann for 5 min: quota',
  ],
  [
    'a hold of its repository',
    (f) => ({ ...f, holds: [...f.holds, { ...hold, scope: { kind: 'repository', repositoryId: '1' } }] }),
    'acme/widgets is on hold by ann for 5 min: quota',
  ],
  [
    'a hold of everything',
    (f) => ({ ...f, holds: [{ ...hold, scope: { kind: 'all' } }, ...f.holds] }),
    'everything is on hold by ann for 5 min: quota',
  ],
  [
    'a cancel of its batch',
    (f) => ({
      ...f,
      batch: {
        ...batch,
        ...f.batch,
        order: { id: 'c', kind: 'cancel', now: false, actor: 'tom', cause: 'api', at: at(290) },
      },
    }),
    'batch nightly is being cancelled by tom for 10 s',
  ],
  [
    'a question',
    (f) => ({ ...f, task: { ...f.task, blockers: [{ id: 'q', question: 'Which\nseed?', actor: 'ann', at: T0 }] } }),
    'waits for an answer for 5 min: Which seed?',
  ],
  [
    'issues that block its own',
    (f) => ({
      ...f,
      blockers: [blocker(), blocker({ label: 'acme/data#3', status: 'not_completed', observedAt: null })],
    }),
    'blocked by acme/widgets#7 (open: has to be closed as completed; seen 60 s ago), acme/data#3 (closed, but not as completed: needs a release)',
  ],
  [
    'survivors of its last run',
    (f) => ({ ...f, task: { ...f.task, cause: 'survivors' }, survivors: { run: 2, pids: [41, 42] } }),
    'processes 41, 42 of its run 2 survived: end them there, or release the task',
  ],
  [
    'needs',
    (f) => ({
      ...f,
      needs: [
        { key: 'fetch', state: 'done', cause: 'run_succeeded' },
        ...['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((key) => ({ key, state: 'running' as const, cause: null })),
      ],
    }),
    'needs a (running), b (running), c (running), d (running), e (running) and 2 more',
  ],
  [
    'a failure that stops its batch',
    (f) => ({ ...f, failed: 'prepare' }),
    'prepare has failed, and nothing more of batch nightly starts then (on_failure: stop)',
  ],
  [
    'a runner that is not there',
    (f) => ({ ...f, otherRunners: ['lab-3', 'lab-4'] }),
    'no runner is called local here; there is: lab-3, lab-4',
  ],
  [
    'its issue, closed',
    (f) => ({ ...f, issue: { number: 12, state: 'closed', observedAt: at(290), readDue: false } }),
    '#12 is closed, as seen 10 s ago',
  ],
  [
    'its next try',
    (f) => ({ ...f, task: { ...f.task, notBefore: at(312), notBeforeReason: 'run 1 failed' } }),
    'run 1 failed; next try in 12.0 s',
  ],
  [
    'a limit',
    (f) => ({
      ...f,
      limits: [
        { name: 'batch nightly', used: 1, max: 4 },
        { name: 'runner local', used: 8, max: 8 },
        { name: 'this app', used: 64, max: 64 },
      ],
    }),
    'runner local runs 8 of 8 at most',
  ],
];

describe('what a task is waiting on', () => {
  it.each(REASONS)('%s', (_what, change, words) => {
    expect(waitingOn(change(facts()))).toBe(words);
  });

  it('is a person where no verify run gave a verdict', () => {
    expect(waitingOn(facts({ task: aTask({ state: 'blocked', cause: 'no_verdict' }) }))).toBe(
      'its verify run gave no verdict: release runs the task again, done counts it as done',
    );
  });

  it('is somebody, and no try of its own, where only people run it', () => {
    const task = aTask({ notBefore: at(312), notBeforeReason: 'run 1 failed' });
    expect(waitingOn(facts({ task: { ...task, spec: { ...task.spec, runsOn: 'attended' } } }))).toBe(
      'run 1 failed; somebody can run it in 12.0 s',
    );
  });

  it('is the first reason, however many there are', () => {
    for (let first = 0; first < REASONS.length; first++) {
      const all = REASONS.slice(first).reduce((f, [, change]) => change(f), facts());
      expect(waitingOn(all)).toBe(REASONS[first]?.[2]);
    }
  });

  it('is the line where nothing is in the way', () => {
    expect(waitingOn(facts())).toBe('next in line');
    expect(waitingOn(facts({ task: aTask({ notBefore: at(299) }) }))).toBe('next in line');
    expect(waitingOn(facts({ limits: [{ name: 'runner local', used: 7, max: 8 }] }))).toBe('next in line');
  });

  it('is nothing while it runs, and once it has ended', () => {
    for (const state of TASK_STATES) {
      const waits = state === 'waiting' || state === 'ready' || state === 'blocked';
      expect(waitingOn(facts({ task: aTask({ state, hold }) })) !== null).toBe(waits);
    }
  });

  it('does not name what is resolved, refused or released', () => {
    const blockers = [
      blocker({ status: 'resolved' }),
      blocker({ label: 'acme/widgets#8', status: 'refused' }),
      blocker({ label: 'acme/widgets#9' }),
    ];
    const released = [{ blocker: 'acme/widgets#9', actor: 'ann', at: at(100) }];
    expect(waitingOn(facts({ task: aTask({ released }), blockers }))).toBe('next in line');
  });

  it('says that issues block it where they were not looked at', () => {
    const task = aTask({ state: 'blocked', cause: 'blocker' });
    expect(waitingOn(facts({ task, blockers: null }))).toBe('blocked by other issues');
  });

  it('is one line, however long the text of people is', () => {
    const reason = `a\n\u0000b\u2028${'x'.repeat(10_000)}`;
    const words = waitingOn(facts({ task: aTask({ hold: { ...hold, reason } }) }));
    expect(words).not.toMatch(/[\p{Cc}\u2028]/u);
    expect(words?.length).toBeLessThan(300);
  });
});

it.each([
  ['archived', 'acme/widgets is archived, as seen 60 s ago'],
  ['gone', 'the App was taken from acme/widgets, and what is left ends soon, as seen 60 s ago'],
] as const)('a repository that is %s is named with what it means', (access, words) => {
  expect(waitingOn(facts({ outOfReach: { access, since: at(240) } }))).toBe(words);
});
