/** Every verb on a task, by the task's state, as a comment: what the event table says, and one message that tells it. */
import { beforeEach, describe, expect, it } from 'vitest';
import type { Run } from '../../../src/core/run.ts';
import type { Task } from '../../../src/core/task.ts';
import { GitHubError } from '../../../src/engine/ports.ts';
import { at, T0 } from '../../support/builders.ts';
import { ISSUE, makeStage, outcomesOf, type Stage, signsOn } from '../../support/comment-stage.ts';

let stage: Stage;

beforeEach(async () => {
  stage = await makeStage();
});

type Put = [Partial<Task>, Partial<Run>?];
const question = { id: 'q', question: 'which?', actor: 'bob', at: T0 };
const byPerson = { state: 'cancelled', cause: 'api', actor: 'bob', episodeId: null } as const;
const target = { becomes: 'ended', ending: byPerson, effect: 'command:c:bob' } as const;

const STATES = {
  waiting: [{ state: 'waiting', needs: ['x'] }],
  ready: [{ state: 'ready' }],
  blocked: [{ state: 'blocked', cause: 'question', blockers: [question] }],
  running: [{}, {}],
  stopping: [{ target }, { state: 'stopping', cancelRequestedAt: at(5) }],
  done: [{ state: 'done', finishedAt: T0 }],
  failed: [{ state: 'failed', finishedAt: T0 }],
  cancelled: [{ state: 'cancelled', finishedAt: T0 }],
  skipped: [{ state: 'skipped', finishedAt: T0 }],
} as const satisfies Record<string, Put>;
type State = keyof typeof STATES;

const stops = (state: string) => ({
  target: { becomes: 'ended', effect: 'reply:5', ending: { state, cause: 'command' } },
});
const again = { generation: 2, requeueReason: 'retry' };
const held = { hold: { actor: 'ann' } };
const asked = { blockers: [expect.anything()] };

/** What the task is afterwards; null: refused, and it stays as it is. */
const TABLE: Record<string, Partial<Record<State, object>>> = {
  cancel: {
    waiting: { state: 'cancelled', cause: 'command', actor: 'ann' },
    ready: { state: 'cancelled' },
    blocked: { state: 'cancelled' },
    running: stops('cancelled'),
  },
  skip: {
    waiting: { state: 'skipped' },
    ready: { state: 'skipped' },
    blocked: { state: 'skipped' },
    running: stops('skipped'),
  },
  done: {
    waiting: { state: 'done' },
    ready: { state: 'done' },
    blocked: { state: 'done' },
    running: stops('done'),
    stopping: stops('done'),
    failed: { state: 'done' },
    cancelled: { state: 'done' },
    skipped: { state: 'done' },
  },
  retry: { done: again, failed: again, cancelled: again, skipped: again },
  hold: { waiting: held, ready: held, blocked: held, running: held, stopping: held },
  'block why?': {
    waiting: asked,
    ready: asked,
    blocked: { blockers: [question, expect.anything()] },
    running: asked,
    stopping: asked,
  },
  'answer yes': { blocked: { blockers: [] } },
  unlink: Object.fromEntries(
    Object.keys(STATES)
      .filter((s) => s !== 'stopping')
      .map((s) => [s, { issueNumber: null }]),
  ),
};

const CELLS = Object.keys(TABLE).flatMap((verb) =>
  (Object.keys(STATES) as State[]).map((state) => [verb, state] as const),
);

/** `block` and `answer` name no ended task, and no other verb is left unnamed here. */
function lineOf(verb: string): string {
  return /^(block|answer)/.test(verb) ? `/task ${verb}` : `/task ${verb} train`;
}

it.each(CELLS)('%s on a task that is %s', async (verb, state) => {
  const [set, run] = STATES[state] as unknown as Put;
  await stage.put({ id: 'task_train', ...set }, run);
  const before = await stage.task('task_train');
  const row = await stage.say(lineOf(verb), { id: '5' });
  const after = await stage.task('task_train');
  const wanted = TABLE[verb]?.[state];
  const sign = (await signsOn(stage, '5')).filter((content) => content !== 'eyes');
  if (wanted === undefined) {
    expect(after).toEqual(before);
    expect(sign).toEqual(['confused']);
    const [command] = row?.commands ?? [];
    const conflict = command?.tasks?.[0]?.conflict;
    expect(conflict ?? (command?.outcome?.result === 'refused' ? command.outcome.words : '')).toMatch(/\S/);
  } else {
    expect(after).toMatchObject(wanted);
    expect(outcomesOf(row)).toEqual([{ result: 'acted' }]);
    expect(sign).toEqual(['rocket']);
  }
  const told = Object.keys(await stage.owed()).filter((key) => /^(reply|command:command)/.test(key));
  expect(told).toEqual(['reply:5']);
});

it('release takes a hold and what blocks away', async () => {
  await stage.put({ id: 'task_train', hold: { reason: null, actor: 'bob', at: T0 } });
  expect(outcomesOf(await stage.say('/task release'))).toEqual([{ result: 'acted' }]);
  expect(await stage.task('task_train')).toMatchObject({ hold: null });
});

it('link ties a task made elsewhere, or on another issue, to this one', async () => {
  await stage.put({ id: 'task_free', issueNumber: null });
  await stage.put({ id: 'task_other', issueNumber: 30 });
  await stage.say('/task link task_free\n/task link task_other');
  expect(await stage.task('task_free')).toMatchObject({ issueNumber: ISSUE });
  expect(await stage.task('task_other')).toMatchObject({ issueNumber: ISSUE });
});

it('unlink lets nothing of another issue go', async () => {
  await stage.put({ id: 'task_other', issueNumber: 30 });
  const row = await stage.say('/task unlink other');
  expect(row?.commands[0]?.tasks).toMatchObject([{ accepted: false, conflict: 'other is not linked to this issue' }]);
  expect(await stage.task('task_other')).toMatchObject({ issueNumber: 30 });
});

describe('on a closed issue', () => {
  beforeEach(async () => {
    const issue = stage.issues.get(ISSUE);
    if (issue === undefined) throw new Error('no issue');
    stage.issues.set(ISSUE, { ...issue, state: 'closed', reason: 'completed', closedAt: at(90), updatedAt: at(90) });
    await stage.put({ id: 'task_failed', state: 'failed', finishedAt: T0 });
    await stage.put({ id: 'task_free', issueNumber: null });
    await stage.put({ id: 'task_left', state: 'ready' });
  });

  it.each(['retry failed', 'link task_free', 'run train'])('%s is refused: reopen it first', async (said) => {
    stage.files.push('tasks: { train: { runs_on: local, run: ["true"] } }');
    const row = await stage.say(`/task ${said}`, { id: '5' });
    expect(JSON.stringify(row?.commands)).toContain(`#${ISSUE} is closed: reopen it first`);
    expect(await signsOn(stage, '5')).toContain('confused');
    expect(await stage.task('task_failed')).toMatchObject({ state: 'failed' });
    expect(await stage.task('task_free')).toMatchObject({ issueNumber: null });
  });

  it.each(['status', 'help', 'cancel', 'hold', 'unlink left', 'done failed'])('%s is carried out', async (said) => {
    await stage.say(`/task ${said}`, { id: '5' });
    expect(await signsOn(stage, '5')).toContain('rocket');
  });
});

describe('several commands in one comment', () => {
  it('run in order, each on what the one before left', async () => {
    await stage.put({ id: 'task_train', state: 'failed', finishedAt: T0 });
    const row = await stage.say('/task retry\n\nand then\n/task hold\n/task nonsense\n/task cancel x y', { id: '5' });
    expect(outcomesOf(row)).toMatchObject([
      { result: 'acted' },
      { result: 'acted' },
      { result: 'help' },
      { result: 'refused' },
    ]);
    expect(await stage.task('task_train')).toMatchObject({ state: 'ready', generation: 2, hold: { actor: 'ann' } });
    expect(await signsOn(stage, '5')).toContain('confused');
    expect(Object.keys(await stage.owed()).filter((key) => key.startsWith('reply:'))).toEqual(['reply:5']);
  });

  it('beyond what a person says in one comment are left out, and counted', async () => {
    const row = await stage.say(Array(500).fill('/task status').join('\n'));
    expect(row?.commands).toHaveLength(20);
    expect(row).toMatchObject({ state: 'handled', dropped: 480 });
  });
});

describe('logs', () => {
  it('show the end of the newest run’s output, as no database would refuse it', async () => {
    await stage.put({ id: 'task_train' }, { number: 1 });
    stage.output.text = `${'x'.repeat(70_000)}\0end`;
    const [outcome] = outcomesOf(await stage.say('/task logs'));
    expect(outcome).toMatchObject({ result: 'log', taskId: 'task_train', key: 'train', run: 1 });
    const text = outcome?.result === 'log' ? outcome.text : '';
    expect(text.endsWith('x\uFFFDend')).toBe(true);
    expect(text.length).toBeLessThanOrEqual(60_000);
  });

  it('of something that never ran there are none', async () => {
    await stage.put({ id: 'task_train' });
    expect(outcomesOf(await stage.say('/task logs train'))).toMatchObject([
      { result: 'refused', words: 'train has not run yet' },
    ]);
  });
});

it('a retry whose issue can’t be read is not done, and says what GitHub said', async () => {
  await stage.put({ id: 'task_train', state: 'failed', finishedAt: T0 });
  await stage.say('/task status');
  stage.failing.set('readIssue', new GitHubError('retryable', 'no answer'));
  const row = await stage.say('/task retry');
  expect(row?.commands[0]?.tasks).toMatchObject([{ accepted: false, conflict: expect.stringContaining('no answer') }]);
  expect(await stage.task('task_train')).toMatchObject({ state: 'failed' });
});

it('a stop waits for no look at the issue', async () => {
  await stage.put({ id: 'task_train' }, {});
  await stage.say('/task status');
  stage.failing.set('readIssue', new GitHubError('retryable', 'no answer'));
  stage.failing.set('readFile', new GitHubError('retryable', 'no answer'));
  await stage.say('/task cancel');
  expect(await stage.task('task_train')).toMatchObject({ target: { becomes: 'ended', ending: { actor: 'ann' } } });
});
