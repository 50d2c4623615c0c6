/** What a status comment shows, and that it is the same while nothing changes. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DEFAULT_POLICY } from '../../../src/core/policy.ts';
import { countTasks } from '../../../src/core/report/counts.ts';
import { type BatchStatus, renderStatus, type StatusReport } from '../../../src/core/report/status.ts';
import { CAUSES, TASK_STATES, type Task } from '../../../src/core/task.ts';
import { aBatch, aRun, aTask, at, T0 } from '../../support/builders.ts';
import { HOSTILE, MEANT, see } from './hostile.ts';

function report(tasks: readonly Task[], set: Partial<StatusReport> = {}): StatusReport {
  const issue = { state: 'open' } as const;
  return { id: 's', issue, tasks, runs: new Map(), links: new Map(), batches: [], policy: DEFAULT_POLICY, ...set };
}

function of(tasks: readonly Task[], batch = aBatch()): BatchStatus {
  return { batch, tasks, counts: countTasks(tasks), runs: new Map(), links: new Map() };
}

function rowOf(task: Task, set: Partial<StatusReport> = {}): string {
  const body = renderStatus(report([task], set));
  return body.split('\n').find((line) => line.startsWith('| `')) ?? '';
}

const running = aTask({ state: 'running', runNumber: 1, attempt: 1 });
const hold = { reason: 'quota', actor: 'ann', at: T0 };

describe('the row of a task', () => {
  it('tells state, cause, runner, attempt and since when it runs', () => {
    const runs = new Map([['task_1', aRun({ runner: 'lab-3' })]]);
    const task = { ...running, spec: { ...running.spec, retry: { attempts: 3, backoffSeconds: 1 } } };
    expect(rowOf(task, { runs })).toBe(
      '| `train` | ● running | – | `lab-3` | 1 of 3 | since 2026-03-01 12:00:00 UTC | – |',
    );
  });

  it('tells that its work is being verified', () => {
    const runs = new Map([['task_1', aRun({ number: 2, purpose: 'verify' })]]);
    expect(rowOf({ ...running, runNumber: 2 }, { runs })).toContain('| ● verifying | – | `local` | 1 of 1 |');
  });

  it('tells since when nothing is heard of a run that its runner may still have', () => {
    const silentSince = new Map([['lab-3', at(60)]]);
    const words = 'no answer of its runner since 2026-03-01 12:01:00 UTC: somebody has to look there';
    const rowWith = (run: Parameters<typeof aRun>[0]) =>
      rowOf({ ...running, hold }, { runs: new Map([['task_1', aRun(run)]]), silentSince });
    expect(rowWith({ runner: 'lab-3' })).toContain(`| ● running | ${words}; on hold by **ann**: \`quota\` |`);
    expect(rowWith({ runner: 'lab-4' })).not.toContain('no answer');
    expect(rowWith({ runner: 'lab-3', state: 'lost' })).not.toContain('no answer');
  });

  it('tells how long an ended run took, and links to the words about it', () => {
    const runs = new Map([['task_1', aRun({ state: 'failed', endedAt: at(90) })]]);
    const links = new Map([['task_1', { text: 'comment', url: 'https://github.com/a/b/issues/12#issuecomment-5' }]]);
    const task = aTask({ state: 'failed', cause: 'run_failed', actor: 'runner', runNumber: 1, attempt: 1 });
    expect(rowOf(task, { runs, links })).toBe(
      '| `train` | ✗ failed | its run failed | `local` | 1 of 1 | 90.0 s | [comment](https://github.com/a/b/issues/12#issuecomment-5) |',
    );
  });

  it.each<[string, Partial<Task>, string]>([
    ['a hold', { hold }, '○ ready | on hold by **ann**: `quota`'],
    ['needs', { state: 'waiting', needs: ['a', 'b', 'c', 'd'] }, '◌ waiting | needs `a`, `b`, `c` and 1 more'],
    [
      'a question',
      { state: 'blocked', cause: 'question', blockers: [{ id: 'q', question: 'Which | seed?', actor: 'bob', at: T0 }] },
      '■ blocked | **bob** asks: `Which ¦ seed?`',
    ],
    [
      'a close',
      { state: 'done', cause: 'issue_completed', actor: 'ann' },
      '✓ done | issue closed as completed by **ann**',
    ],
    [
      'a back-off',
      { notBefore: at(60), notBeforeReason: 'attempt 1 of 3 failed' },
      '○ ready | `attempt 1 of 3 failed`; not before 2026-03-01 12:01:00 UTC',
    ],
    [
      'who has to run it',
      { spec: { ...running.spec, runsOn: 'attended' } },
      '○ ready | somebody has to run it: `standdown attend --task task_1 -- COMMAND`',
    ],
  ])('explains %s', (_what, set, words) => {
    expect(rowOf(aTask(set))).toContain(`| ${words} |`);
  });

  it('says that it is being stopped, and why', () => {
    const ending = { state: 'done', cause: 'issue_completed', actor: 'ann', episodeId: 'e' } as const;
    const target = { becomes: 'ended', ending, effect: null } as const;
    const runs = new Map([['task_1', aRun({ state: 'stopping' })]]);
    expect(rowOf({ ...running, target }, { runs })).toContain(
      '| ● stopping | being stopped: issue closed as completed by **ann** |',
    );
  });

  it('has words for every cause of every state', () => {
    for (const state of TASK_STATES) {
      for (const cause of CAUSES) expect(rowOf(aTask({ state, cause, actor: 'ann' }))).not.toMatch(/undefined|null/);
    }
  });
});

it('unfinished tasks come first, then what ended last', () => {
  const tasks = [
    aTask({ id: '1', key: 'old', state: 'done', cause: 'run_succeeded', finishedAt: at(1) }),
    aTask({ id: '2', key: 'new', state: 'failed', cause: 'run_failed', finishedAt: at(2) }),
    aTask({ id: '3', key: 'alive', state: 'running' }),
  ];
  expect(renderStatus(report(tasks)).match(/^\| `\w+`/gm)).toEqual(['| `alive`', '| `new`', '| `old`']);
});

describe('what has ended and was not queued again', () => {
  const cancelled = aTask({ state: 'cancelled', cause: 'issue_not_planned', actor: 'ann', endedByEpisodeId: 'e' });

  it('is told how to run again, while its issue is open', () => {
    const words = 'To run again what has ended: `/task retry train` (needs write permission).';
    expect(renderStatus(report([cancelled]))).toContain(words);
    expect(renderStatus(report([cancelled], { issue: { state: 'closed' } }))).not.toContain('To run again');
    expect(renderStatus(report([running]))).not.toContain('To run again');
    const lacking = aTask({ state: 'skipped', cause: 'dependency', finishedAt: T0 });
    expect(renderStatus(report([lacking]))).not.toContain('To run again');
  });

  it('is named by its id where its key is not enough, and by the words that are taken here', () => {
    const policy = { ...DEFAULT_POLICY, commandPrefix: 'bot' };
    const body = renderStatus(report([cancelled, { ...running, id: 'task_2' }], { policy }));
    expect(body).toContain('`/bot task retry task_1`');
  });
});

describe('a batch that was started in the issue', () => {
  const fetch = aTask({ id: 'a', key: 'fetch', state: 'done', cause: 'run_succeeded', finishedAt: at(1) });
  const train = aTask({ id: 'b', key: 'train', state: 'running', needs: ['fetch'] });

  it('is counted and drawn, coloured by state', () => {
    const body = renderStatus(report([], { batches: [of([fetch, train])] }));
    expect(body).toContain('**Batch `nightly`** is **running**: 1 running, 1 done.');
    expect(body).toContain(
      'graph LR\n  t0["fetch"]:::done\n  t1["train"]:::running\n  t0 --> t1\n  classDef done fill',
    );
  });

  it('says what keeps it', () => {
    const batch = aBatch({ stuck: true, hold });
    const body = renderStatus(report([], { batches: [of([train], batch)] }));
    expect(body).toMatch(/It is on hold: .* It is stuck: /);
  });

  it('is not drawn where nobody could read that', () => {
    const tasks = Array.from({ length: 61 }, (_, index) => aTask({ id: `${index}`, key: `t${index}` }));
    const body = renderStatus(report([], { batches: [of(tasks)] }));
    expect(body).not.toContain('mermaid');
    expect(body).toContain('With more than 60 tasks there is no graph.');
    expect(body).toContain('| and 11 more |');
  });
});

it('ten thousand tasks with the longest names are one comment', () => {
  const tasks = Array.from({ length: 10_000 }, (_, index) =>
    aTask({ id: `${index}`, key: `${'k'.repeat(95)}${index}`, hold: { ...hold, reason: '@x '.repeat(10_000) } }),
  );
  const batches = Array.from({ length: 20 }, () => of(tasks));
  const body = renderStatus(report(tasks, { batches }));
  expect(body.length).toBeLessThan(65_536);
  expect(body).toContain('| and 9950 more |');
});

it('the same facts in another order are the same comment', () => {
  const tasks = Array.from({ length: 30 }, (_, index) =>
    aTask({
      id: `${index}`,
      key: `t${index}`,
      state: TASK_STATES[index % 8]!,
      finishedAt: index % 8 < 4 ? null : at(index),
    }),
  );
  expect(renderStatus(report(tasks.toReversed()))).toBe(renderStatus(report(tasks)));
});

it('whatever people call things and say, nothing of it is more than text', () => {
  fc.assert(
    fc.property(HOSTILE, HOSTILE, (one, two) => {
      const tasks = [
        aTask({ id: '1', key: one, hold: { reason: two, actor: one, at: T0 }, spec: { ...running.spec, runsOn: two } }),
        aTask({ id: '2', key: two, state: 'waiting', needs: [one], notBeforeReason: two }),
        aTask({ id: '3', state: 'blocked', blockers: [{ id: 'q', question: one, actor: two, at: T0 }] }),
        aTask({ id: '4', key: one, state: 'cancelled', cause: 'command', actor: two, finishedAt: T0 }),
      ];
      // An address is GitHub’s own word: it may be linked, and be nothing else.
      const links = new Map([['1', { text: 'comment', url: one }]]);
      const batches = [{ ...of(tasks, aBatch({ name: one })), links }];
      const seen = see(renderStatus(report(tasks, { links, batches })));
      expect(seen).toMatchObject({ html: ['<!-- standdown:status s -->'], other: [] });
      expect(seen.links.filter((url) => url !== one)).toEqual([]);
      expect(seen.text).not.toMatch(MEANT);
      const rows = 4 + 4;
      expect(seen.code.filter((code) => code === 'local' || code === 'train').length).toBeLessThanOrEqual(rows * 2);
    }),
  );
});
