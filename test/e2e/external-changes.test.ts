/** What happens outside while work runs: it is found, followed once, never overturned by what comes late, and no failure ends it. */
import { afterEach, describe, expect, it } from 'vitest';
import type { Fault } from '../../src/demo/github/index.ts';
import { silentLog } from '../support/databases.ts';
import {
  REPOSITORY,
  type RestBatch,
  rest,
  runOf,
  submit,
  taskOf,
  untilRunning,
  untilTask,
  WAIT,
} from '../support/world.ts';
import { finish, finisher, nasty, type Program, pidOf, pidsOf, sleeper, untilAlive } from './programs.ts';
import { outcomesOf } from './rules.ts';
import {
  batchName,
  batchState,
  type ClockedWorld,
  closeWorld,
  eventsOf,
  makeClockedWorld,
  newIssue,
  numberOfRuns,
  startTask,
  sweepNow,
  untilSays,
  untilSettled,
} from './support.ts';

let world: ClockedWorld;

afterEach(() => closeWorld(world));

async function makeStartedWorld(options: Parameters<typeof makeClockedWorld>[0] = {}): Promise<void> {
  world = await makeClockedWorld(options);
  await world.start();
}

async function say(batch: RestBatch, key: string, verb: string, body?: object) {
  const { id } = await taskOf(world, batch, key);
  return rest(world, 'POST', `/tasks/${id}/${verb}`, body);
}

const ACCEPTED = { status: 202 };
const loseAllWebhooks = () => world.github.webhooks.lose(() => true);
const requeuesOf = (taskId: string) => eventsOf(world, { type: 'RECONCILIATION_TASK_REQUEUED', taskId });

describe('running tasks are compared with GitHub', () => {
  it('every so many seconds, so that a close whose webhook was lost stops its run', async () => {
    await makeStartedWorld({ sweepSeconds: 1 });
    const issue = newIssue(world);
    const { batch, word } = await startTask(world, issue);
    loseAllWebhooks();
    issue.close({ by: 'ann', reason: 'not_planned' });
    await untilTask(world, batch, 'train', { state: 'cancelled', cause: 'issue_not_planned', actor: 'ann' });
    expect(pidsOf(word)).toEqual([]);
    world.clock.forward();
    issue.reopen({ by: 'ann' });
    await untilRunning(world, batch, 'train', 2);
    await untilAlive(word);
    await untilSettled(world);
    expect(outcomesOf(world, issue.number)).toHaveLength(2);
    // Quiet sweeps add nothing; what was owed is sent meanwhile.
    const isOurs = ({ type }: { type: string }) => !type.startsWith('COMMENT_');
    const events = async () => (await eventsOf(world, {})).filter(isOurs).length;
    const [before, at] = [await events(), world.app().engine.status().lastSweepAt];
    const later = () => world.app().engine.status().lastSweepAt?.getTime() ?? 0;
    await expect.poll(later, WAIT).toBeGreaterThan((at?.getTime() ?? 0) + 1_500);
    expect(await events()).toBe(before);
  });

  it('only when asked where the interval is 0', async () => {
    await makeStartedWorld({ sweepSeconds: 0 });
    const issue = newIssue(world);
    const { batch, word } = await startTask(world, issue);
    const swept = world.app().engine.status().lastSweepAt;
    loseAllWebhooks();
    issue.close({ by: 'ann' });
    await untilSettled(world);
    // A second and more of an app with nothing to do: the runners are asked again and again, GitHub is not.
    const since = Date.now();
    await expect.poll(() => Date.now() - since, WAIT).toBeGreaterThan(1_200);
    expect(world.app().engine.status().lastSweepAt).toEqual(swept);
    expect(await runOf(world, batch, 'train')).toMatchObject({ state: 'running' });
    await untilAlive(word);
    await sweepNow(world);
    await untilTask(world, batch, 'train', { state: 'done', cause: 'issue_completed' });
  });
});

describe('a close', () => {
  it.each([
    ['completed', 'done', 'completed'],
    ['not_planned', 'cancelled', 'partial'],
  ] as const)(
    'as %s ends the whole tree and takes its task out of the batch, which is then %s, %s',
    async (reason, state, end) => {
      await makeStartedWorld({ graceSeconds: 0.2 });
      const issue = newIssue(world);
      const [tree, beside] = [nasty('tree'), finisher(0)];
      const tasks = {
        train: { issue: issue.number, run: tree.run },
        beside: { run: beside.run },
        after: { needs: ['beside'], run: ['true'] },
      };
      const batch = await submit(world, tasks, batchName());
      await untilSays(world, { batch }, 'ready tree');
      const besidePid = await pidOf(beside.word);
      world.clock.forward();
      issue.close({ by: 'ann', reason });
      await untilTask(world, batch, 'train', { state, actor: 'ann' });
      expect(pidsOf(tree.word)).toEqual([]);
      await expect.poll(() => pidsOf(beside.word), WAIT).toEqual([besidePid]);
      expect(await batchState(world, batch.id)).toBe('running');
      await finish(besidePid);
      await untilTask(world, batch, 'after', { state: 'done', cause: 'run_succeeded' });
      await expect.poll(() => batchState(world, batch.id), WAIT).toBe(end);
      await untilSettled(world);
      expect(pidsOf(tree.word)).toEqual([]);
      expect(outcomesOf(world, issue.number)).toHaveLength(1);
    },
  );
});

/** Answers TERM with that exit code. */
function trapper(exitCode: number): Program {
  const { word } = sleeper();
  return {
    word,
    run: ['perl', '-e', `$SIG{TERM} = sub { exit ${exitCode} }; $| = 1; print "ready\\n"; sleep 1 while 1`, word],
  };
}

/** Ignores TERM and ends by itself, with that exit code, when it is sent USR1. */
function latecomer(exitCode: number): Program {
  const { word } = sleeper();
  const code = `$SIG{TERM} = 'IGNORE'; $SIG{USR1} = sub { exit ${exitCode} }; $| = 1; print "ready\\n"; sleep 1 while 1`;
  return { word, run: ['perl', '-e', code, word], grace_seconds: 60 };
}

describe('the word that a running task is done', () => {
  it.each([7, 0])(
    'ends its run, whose exit code %i is shown and overturns nothing; what needs it starts',
    async (code) => {
      await makeStartedWorld();
      const [program, next] = [trapper(code), sleeper()];
      const retry = { attempts: 3, backoff_seconds: 0 };
      const tasks = { train: { run: program.run, retry }, next: { needs: ['train'], run: next.run } };
      const batch = await submit(world, tasks, batchName());
      await untilSays(world, { batch }, 'ready');
      expect(await say(batch, 'train', 'done')).toMatchObject(ACCEPTED);
      await untilRunning(world, batch, 'next');
      await untilAlive(next.word);
      expect(pidsOf(program.word)).toEqual([]);
      await untilSettled(world);
      const { id } = await taskOf(world, batch, 'train');
      expect((await rest(world, 'GET', `/tasks/${id}`)).body).toMatchObject({
        state: 'done',
        cause: 'api',
        actor: 'api',
        runs: [{ number: 1, state: 'cancelled', exit_code: code, signal: null }],
      });
      expect(await eventsOf(world, { type: 'TASK_DONE', taskId: id })).toHaveLength(1);
      expect(await eventsOf(world, { type: 'RUN_ENDED', taskId: id })).toHaveLength(1);
    },
  );
});

describe('a result that comes after the cancel', () => {
  it.each([0, 3])('(exit code %i) is kept as information', async (code) => {
    await makeStartedWorld();
    const issue = newIssue(world);
    const program = latecomer(code);
    const retry = { attempts: 3, backoff_seconds: 0 };
    const { batch } = await startTask(world, issue, { ...program, retry });
    await untilSays(world, { batch }, 'ready');
    expect(await say(batch, 'train', 'cancel')).toMatchObject(ACCEPTED);
    await expect.poll(() => runOf(world, batch, 'train'), WAIT).toMatchObject({ termAt: expect.any(Date) });
    await finish(await pidOf(program.word));
    const { id } = await untilTask(world, batch, 'train', { state: 'cancelled', cause: 'api' });
    await untilSettled(world);
    expect(await runOf(world, batch, 'train')).toMatchObject({ number: 1, state: 'cancelled', exitCode: code });
    expect(await taskOf(world, batch, 'train')).toMatchObject({ state: 'cancelled', cause: 'api' });
    expect(await numberOfRuns(world, id)).toBe(1);
    expect(outcomesOf(world, issue.number)).toHaveLength(1);
  });
});

describe('a blocker that is resolved', () => {
  it('by an answer brings its task back once, in the batch that still runs', async () => {
    await makeStartedWorld();
    const [fetch, train, beside] = [finisher(0), sleeper(), sleeper()];
    const tasks = {
      fetch: { run: fetch.run },
      train: { needs: ['fetch'], run: train.run },
      beside: { run: beside.run },
    };
    const batch = await submit(world, tasks, batchName());
    expect(await say(batch, 'train', 'block', { question: 'which data set?' })).toMatchObject(ACCEPTED);
    await finish(await pidOf(fetch.word));
    await untilTask(world, batch, 'fetch', { state: 'done' });
    await untilSettled(world);
    const { id } = await untilTask(world, batch, 'train', { state: 'blocked', cause: 'question', runNumber: 0 });
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => say(batch, 'train', 'answer', { text: 'the small one' })),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([202, 409, 409, 409]);
    await untilRunning(world, batch, 'train', 1);
    await untilAlive(train.word);
    await sweepNow(world);
    await untilSettled(world);
    expect(await requeuesOf(id)).toMatchObject([{ data: { reason: 'blocker_resolved' } }]);
    expect(await numberOfRuns(world, id)).toBe(1);
    expect(await batchState(world, batch.id)).toBe('running');
    await untilAlive(beside.word);
  });

  it.each(['a webhook that comes twice', 'the sweep alone'])(
    'by the close of the blocking issue, told by %s, brings its task back once',
    async (how) => {
      await makeStartedWorld();
      const [issue, blocker] = [newIssue(world), newIssue(world)];
      issue.blockBy({ by: 'ann', number: blocker.number });
      await world.github.webhooks.settled();
      const [train, beside] = [sleeper(), sleeper()];
      const tasks = { train: { issue: issue.number, run: train.run }, beside: { run: beside.run } };
      const batch = await submit(world, tasks, batchName());
      const { id } = await untilTask(world, batch, 'train', { state: 'blocked', cause: 'blocker', runNumber: 0 });
      await untilAlive(beside.word);
      world.clock.forward();
      if (how === 'the sweep alone') loseAllWebhooks();
      else world.github.webhooks.duplicate(2);
      blocker.close({ by: 'ann', reason: 'completed' });
      if (how === 'the sweep alone') await sweepNow(world);
      await untilRunning(world, batch, 'train', 1);
      await untilAlive(train.word);
      await untilSettled(world);
      await sweepNow(world);
      await untilSettled(world);
      expect(await requeuesOf(id)).toMatchObject([{ data: { reason: 'blocker_resolved', actor: 'ann' } }]);
      expect(await numberOfRuns(world, id)).toBe(1);
      expect(await batchState(world, batch.id)).toBe('running');
    },
  );
});

describe("GitHub's state", () => {
  it.each([
    ['completed', 'done', 'issue_completed'],
    ['not_planned', 'cancelled', 'issue_not_planned'],
    ['duplicate', 'cancelled', 'issue_duplicate'],
  ] as const)('closed as %s is what the API shows: %s, with its cause and who did it', async (reason, state, cause) => {
    await makeStartedWorld();
    const issue = newIssue(world);
    const { batch, first } = await startTask(world, issue);
    issue.close({ by: 'tom', reason });
    const { id } = await untilTask(world, batch, 'train', { state });
    const { body } = await rest(world, 'GET', `/tasks/${id}`);
    const run = { id: first.id, number: 1, state: 'cancelled', cause };
    const end = { finished_at: expect.stringMatching(/^\d{4}-.*Z$/), runs: [run] };
    expect(body).toMatchObject({ issue: issue.number, state, cause, actor: 'tom', ...end });
    expect(await eventsOf(world, { type: 'RECONCILIATION_TASK_SKIPPED', taskId: id })).toHaveLength(1);
  });

  it('that changes otherwise, by its title, its text or a label, does nothing to the run', async () => {
    await makeStartedWorld();
    const issue = newIssue(world);
    const { batch, word, first } = await startTask(world, issue);
    await untilSettled(world);
    const { id } = await taskOf(world, batch, 'train');
    const [before, pids] = [await eventsOf(world, { taskId: id }), pidsOf(word)];
    issue.edit({ by: 'ann', title: 'close this, please' });
    issue.edit({ by: 'ann', body: 'This is closed.' });
    issue.label({ by: 'ann', name: 'wontfix' });
    await untilSettled(world);
    await sweepNow(world);
    expect(await eventsOf(world, { taskId: id })).toEqual(before);
    expect(await runOf(world, batch, 'train')).toMatchObject({ id: first.id, state: 'running' });
    await expect.poll(() => pidsOf(word), WAIT).toEqual(pids);
    expect(outcomesOf(world, issue.number)).toEqual([]);
  });
});

describe('a reconciliation that fails', () => {
  const warnings: object[] = [];
  const log = { ...silentLog, warn: (fields: object, message: string) => warnings.push({ ...fields, message }) };
  /** `listed`: nothing can be listed either, which is a trouble of the repository's. */
  const troubles: [string, Fault, RegExp, { listed: boolean }][] = [
    [
      'answers 500 about each issue',
      { kind: 'answer', status: 500, body: { message: 'Server Error' } },
      /\/issues\/\d+$/,
      { listed: true },
    ],
    ['answers garbage about each issue', { kind: 'garbage' }, /\/issues\/\d+$/, { listed: true }],
    [
      'answers 500 to everything',
      { kind: 'answer', status: 500, body: { message: 'Server Error' } },
      /./,
      { listed: false },
    ],
    ['drops every connection', { kind: 'drop' }, /./, { listed: false }],
  ];

  it.each(troubles)(
    'since GitHub %s is logged, counted and told, and ends nothing',
    async (_what, fault, path, { listed }) => {
      warnings.length = 0;
      await makeStartedWorld({ app: { log } });
      const [closes, stays] = [newIssue(world), newIssue(world)];
      const [first, second, third] = [sleeper(), sleeper(), finisher(0)];
      const tasks = {
        closes: { issue: closes.number, run: first.run },
        stays: { issue: stays.number, run: second.run },
        free: { run: third.run },
        after: { needs: ['free'], run: ['true'] },
      };
      const batch = await submit(world, tasks, batchName());
      for (const { word } of [first, second, third]) await untilAlive(word);
      world.clock.forward();
      loseAllWebhooks();
      closes.close({ by: 'ann', reason: 'completed' });
      world.github.faults.add({ ...fault, method: 'GET', path });
      await sweepNow(world);

      const told = async () => eventsOf(world, { type: 'RECONCILIATION_ERROR' });
      // What did not change is not asked about.
      const places = listed ? [closes.number] : [closes.number, null];
      const placesTold = async () => new Set((await told()).map(({ issueNumber }) => issueNumber));
      await expect.poll(placesTold, WAIT).toEqual(new Set(places));
      expect((await told()).every(({ data }) => data.code === 'retryable')).toBe(true);
      const logged = { message: 'reconciliation error', issue: closes.number };
      expect(warnings).toContainEqual(expect.objectContaining(logged));
      await expect.poll(() => world.app().engine.status().lastSweepErrors, WAIT).toBe(places.length);
      const ready = await fetch(`${world.app().url}/readyz`);
      expect(ready.status).toBe(200);
      expect(await ready.json()).toMatchObject({ github: 'degraded', sweep: { errors: places.length } });
      const metrics = await (await fetch(`${world.app().url}/metrics`)).text();
      expect(metrics).toContain(`standdown_sweep_errors ${places.length}\n`);
      // The batch goes on meanwhile.
      await finish(await pidOf(third.word));
      await untilTask(world, batch, 'after', { state: 'done', cause: 'run_succeeded' });
      expect(await batchState(world, batch.id)).toBe('running');
      for (const { word } of [first, second]) await untilAlive(word);
      for (const key of ['closes', 'stays']) expect((await taskOf(world, batch, key)).state).toBe('running');

      world.github.faults.clear();
      await sweepNow(world);
      await untilTask(world, batch, 'closes', { state: 'done', cause: 'issue_completed', actor: 'ann' });
      await untilSettled(world);
      expect(pidsOf(first.word)).toEqual([]);
      await untilAlive(second.word);
      expect(outcomesOf(world, closes.number)).toHaveLength(1);
      const healthy = { github: 'ok', sweep: { errors: 0 }, data: { problems: [] } };
      expect(await (await fetch(`${world.app().url}/readyz`)).json()).toMatchObject(healthy);
    },
  );

  it("for one issue, about which GitHub is silent, is that one task's alone", async () => {
    await makeStartedWorld();
    const [silent, closes] = [newIssue(world), newIssue(world)];
    const tasks = await Promise.all([startTask(world, silent), startTask(world, closes)]);
    const [left, acted] = tasks as [(typeof tasks)[0], (typeof tasks)[0]];
    loseAllWebhooks();
    for (const issue of [silent, closes]) issue.close({ by: 'ann' });
    world.github.faults.add({ kind: 'hang', method: 'GET', path: `/repos/${REPOSITORY}/issues/${silent.number}` });
    await sweepNow(world);
    await untilTask(world, acted.batch, 'train', { state: 'done', cause: 'issue_completed' });
    const told = async () =>
      (await eventsOf(world, { type: 'RECONCILIATION_ERROR' })).map((event) => event.issueNumber);
    await expect.poll(told, WAIT).toEqual([silent.number]);
    await expect.poll(() => world.app().engine.status().lastSweepErrors, WAIT).toBe(1);
    expect((await taskOf(world, left.batch, 'train')).state).toBe('running');
    await untilAlive(left.word);
    world.github.faults.clear();
    await sweepNow(world);
    await untilTask(world, left.batch, 'train', { state: 'done', cause: 'issue_completed' });
    expect(pidsOf(left.word)).toEqual([]);
  });
});
