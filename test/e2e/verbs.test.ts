/** What a person may say to a task over REST, in every state that it can be in. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rest, runOf, submit, taskOf, untilRunning, untilTask, WAIT } from '../support/world.ts';
import { finish, finisher, killProgram, nasty, pidOf, pidsOf, sleeper, untilAlive } from './programs.ts';
import { outcomesOf } from './rules.ts';
import {
  batchName,
  type ClockedWorld,
  closeWorld,
  eventsOf,
  type Hands,
  makeClockedWorld,
  newIssue,
  numberOfRuns,
  type RunningTask,
  startTask,
  untilSays,
  untilSettled,
} from './support.ts';

let world: ClockedWorld;

beforeAll(async () => {
  world = await makeClockedWorld();
  await world.start();
});

afterAll(() => closeWorld(world));

async function say(task: { batch: RunningTask['batch'] }, verb: string, body?: object, key = 'train') {
  const { id } = await taskOf(world, task.batch, key);
  return rest(world, 'POST', `/tasks/${id}/${verb}`, body);
}

const ACCEPTED = { status: 202 };
const CONFLICT = { status: 409, body: { error: { code: 'conflict' } } };
const ISSUE_CLOSED = { status: 409, body: { error: { code: 'issue_closed' } } };

describe('cancel', () => {
  it('stops the run, ends the task, and tells so once on its issue', async () => {
    const issue = newIssue(world);
    const task = await startTask(world, issue);
    expect(await say(task, 'cancel')).toMatchObject(ACCEPTED);
    await untilTask(world, task.batch, 'train', { state: 'cancelled', cause: 'api', actor: 'api' });
    expect(pidsOf(task.word)).toEqual([]);
    await untilSettled(world);
    expect(outcomesOf(world, issue.number)).toHaveLength(1);
    expect(outcomesOf(world, issue.number)[0]).toMatch(/As \*\*api\*\* asked:\n\n- `train`: run 1 was stopped \(TERM/);
    expect(await say(task, 'cancel')).toMatchObject(CONFLICT);
  });

  it('is refused while the run is stopping already, and five at once stop once', async () => {
    const issue = newIssue(world);
    const task = await startTask(world, issue, { ...nasty('ignores_term'), grace_seconds: 60 });
    const answers = await Promise.all(Array.from({ length: 5 }, () => say(task, 'cancel')));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([202, 409, 409, 409, 409]);
    killProgram(task.word);
    const { id } = await untilTask(world, task.batch, 'train', { state: 'cancelled', cause: 'api' });
    await untilSettled(world);
    expect(await eventsOf(world, { type: 'RUN_STOPPING', taskId: id })).toHaveLength(1);
    expect(outcomesOf(world, issue.number)).toHaveLength(1);
  });

  it('is not undone by a reopen of the issue', async () => {
    const issue = newIssue(world);
    const task = await startTask(world, issue);
    await say(task, 'cancel');
    await untilTask(world, task.batch, 'train', { state: 'cancelled' });
    issue.close({ by: 'ann' });
    world.clock.forward();
    issue.reopen({ by: 'ann' });
    await untilSettled(world);
    expect(await taskOf(world, task.batch, 'train')).toMatchObject({ state: 'cancelled', cause: 'api', runNumber: 1 });
    expect(outcomesOf(world, issue.number)).toHaveLength(1);
  });
});

describe('done', () => {
  it('ends a running task as done, whatever the killed run answers', async () => {
    const issue = newIssue(world);
    const word = sleeper().word;
    const run = ['sh', '-c', `trap 'exit 9' TERM; echo ready; while :; do sleep 0.05; done; : ${word}`];
    const task = await startTask(world, issue, { word, run, retry: { attempts: 3, backoff_seconds: 0 } });
    await untilSays(world, task, 'ready');
    expect(await say(task, 'done')).toMatchObject(ACCEPTED);
    const { id } = await untilTask(world, task.batch, 'train', { state: 'done', cause: 'api', actor: 'api' });
    expect(await runOf(world, task.batch, 'train')).toMatchObject({ state: 'cancelled', exitCode: 9 });
    await untilSettled(world);
    expect(await taskOf(world, task.batch, 'train')).toMatchObject({ state: 'done', cause: 'api' });
    expect(await numberOfRuns(world, id)).toBe(1);
    expect(await say(task, 'done')).toMatchObject(CONFLICT);
  });

  it('overrules a failure, and what needed it goes on', async () => {
    const name = batchName();
    const tasks = { fetch: { run: ['false'] }, train: { needs: ['fetch'], run: ['true'] } };
    const batch = await submit(world, tasks, name);
    await untilTask(world, batch, 'train', { state: 'skipped', cause: 'dependency' });
    expect(await say({ batch }, 'done', undefined, 'fetch')).toMatchObject(ACCEPTED);
    await untilTask(world, batch, 'train', { state: 'done', cause: 'run_succeeded' });
  });

  it('takes over a run that an issue is stopping', async () => {
    const issue = newIssue(world);
    const task = await startTask(world, issue, { ...nasty('ignores_term'), grace_seconds: 60 });
    issue.close({ by: 'ann', reason: 'not_planned' });
    await expect.poll(() => runOf(world, task.batch, 'train'), WAIT).toMatchObject({ state: 'stopping' });
    expect(await say(task, 'done')).toMatchObject(ACCEPTED);
    killProgram(task.word);
    await untilTask(world, task.batch, 'train', { state: 'done', cause: 'api' });
    await untilSettled(world);
  });
});

describe('skip', () => {
  it('stops the run and satisfies the needs of others', async () => {
    const program = sleeper();
    const tasks = { fetch: { run: program.run }, train: { needs: ['fetch'], run: ['true'] } };
    const batch = await submit(world, tasks, batchName());
    await untilAlive(program.word);
    expect(await say({ batch }, 'skip', undefined, 'fetch')).toMatchObject(ACCEPTED);
    await untilTask(world, batch, 'fetch', { state: 'skipped', cause: 'api' });
    await untilTask(world, batch, 'train', { state: 'done' });
    expect(pidsOf(program.word)).toEqual([]);
  });
});

describe('hold and release', () => {
  it('keep a task from starting, and let it start', async () => {
    const program = sleeper();
    const tasks = { fetch: { run: finisher(0).run }, train: { needs: ['fetch'], run: program.run } };
    const batch = await submit(world, tasks, batchName());
    expect(await say({ batch }, 'hold', { reason: 'look first' })).toMatchObject(ACCEPTED);
    await say({ batch }, 'done', undefined, 'fetch');
    await untilTask(world, batch, 'train', { state: 'ready' });
    await untilSettled(world);
    expect(await taskOf(world, batch, 'train')).toMatchObject({ state: 'ready', runNumber: 0 });
    expect(await say({ batch }, 'release')).toMatchObject(ACCEPTED);
    await untilAlive(program.word);
    expect(await say({ batch }, 'release')).toMatchObject(CONFLICT);
  });

  it('let a run go on but keep its retry from starting', async () => {
    const issue = newIssue(world);
    const task = await startTask(world, issue, { ...finisher(4), retry: { attempts: 2, backoff_seconds: 0 } });
    await say(task, 'hold');
    await finish(await pidOf(task.word));
    await untilTask(world, task.batch, 'train', { state: 'ready', attempt: 1 });
    await untilSettled(world);
    expect(pidsOf(task.word)).toEqual([]);
    await say(task, 'release');
    await untilRunning(world, task.batch, 'train', 2);
  });
});

describe('block and answer', () => {
  it('keep a task waiting for its answer, and bring it back', async () => {
    const program = sleeper();
    const tasks = { fetch: { run: finisher(0).run }, train: { needs: ['fetch'], run: program.run } };
    const batch = await submit(world, tasks, batchName());
    expect(await say({ batch }, 'block', { question: 'which data set?' })).toMatchObject(ACCEPTED);
    await untilTask(world, batch, 'train', { state: 'blocked' });
    await say({ batch }, 'done', undefined, 'fetch');
    await untilTask(world, batch, 'fetch', { state: 'done' });
    await untilSettled(world);
    expect(await taskOf(world, batch, 'train')).toMatchObject({ state: 'blocked', runNumber: 0 });
    expect(await say({ batch }, 'retry')).toMatchObject(CONFLICT);
    expect(await say({ batch }, 'answer', { text: 'the small one' })).toMatchObject(ACCEPTED);
    await untilAlive(program.word);
    expect(await say({ batch }, 'answer', { text: 'again' })).toMatchObject(CONFLICT);
  });

  it('do not shield a task from the close of its issue', async () => {
    const issue = newIssue(world);
    const tasks = { train: { issue: issue.number, needs: ['fetch'], run: ['true'] }, fetch: { run: sleeper().run } };
    const batch = await submit(world, tasks, batchName());
    await say({ batch }, 'block', { question: 'really?' });
    world.clock.forward();
    issue.close({ by: 'ann' });
    await untilTask(world, batch, 'train', { state: 'done', cause: 'issue_completed', runNumber: 0 });
  });
});

describe('retry', () => {
  it('opens a new generation of what has ended, and is refused for what has not', async () => {
    const issue = newIssue(world);
    const task = await startTask(world, issue, { ...finisher(5), retry: { attempts: 1, backoff_seconds: 0 } });
    expect(await say(task, 'retry')).toMatchObject(CONFLICT);
    await finish(await pidOf(task.word));
    await untilTask(world, task.batch, 'train', { state: 'failed', cause: 'run_failed' });
    expect(await say(task, 'retry')).toMatchObject(ACCEPTED);
    const second = await untilRunning(world, task.batch, 'train', 2);
    expect(second.generation).toBe(2);
    await untilAlive(task.word);
    await finish(await pidOf(task.word));
    await untilTask(world, task.batch, 'train', { state: 'failed', runNumber: 2 });
    await untilSettled(world);
    // One for each failure, one for the retry.
    expect(outcomesOf(world, issue.number)).toHaveLength(3);
  });

  it('is refused while the issue is closed, also where no webhook has told of it', async () => {
    const issue = newIssue(world);
    const task = await startTask(world, issue);
    await say(task, 'cancel');
    await untilTask(world, task.batch, 'train', { state: 'cancelled' });
    world.github.webhooks.lose();
    issue.close({ by: 'ann' });
    const refused = await say(task, 'retry');
    expect(refused).toMatchObject(ISSUE_CLOSED);
    expect(JSON.stringify(refused.body)).toContain('reopen it first');
    world.clock.forward();
    issue.reopen({ by: 'ann' });
    await untilSettled(world);
    expect(await say(task, 'retry')).toMatchObject(ACCEPTED);
    await untilRunning(world, task.batch, 'train', 2);
  });
});

describe('linking', () => {
  const link = async (task: RunningTask, issue: Hands) => {
    const { id } = await taskOf(world, task.batch, 'train');
    return rest(world, 'PUT', `/tasks/${id}/issue`, { issue: issue.number });
  };

  it('to another open issue makes that one stop the run, and the old one no more', async () => {
    const [old, target] = [newIssue(world), newIssue(world)];
    const task = await startTask(world, old);
    expect(await link(task, target)).toMatchObject(ACCEPTED);
    world.clock.forward();
    old.close({ by: 'ann' });
    await untilSettled(world);
    await untilAlive(task.word);
    target.close({ by: 'ann' });
    await untilTask(world, task.batch, 'train', { state: 'done', cause: 'issue_completed' });
    await untilSettled(world);
    expect(outcomesOf(world, old.number)).toEqual([]);
    expect(outcomesOf(world, target.number)).toHaveLength(1);
  });

  it('to a closed issue, a pull request or none that exists is refused', async () => {
    const [old, closed] = [newIssue(world), newIssue(world)];
    const task = await startTask(world, old);
    closed.close({ by: 'ann' });
    expect(await link(task, closed)).toMatchObject(ISSUE_CLOSED);
    expect(await link(task, newIssue(world, 'ann', { isPullRequest: true }))).toMatchObject(CONFLICT);
    expect(await link(task, { ...old, number: 98_765 })).toMatchObject(CONFLICT);
    expect((await taskOf(world, task.batch, 'train')).issueNumber).toBe(old.number);
  });

  it('undone leaves the run to nobody', async () => {
    const issue = newIssue(world);
    const task = await startTask(world, issue);
    const { id } = await taskOf(world, task.batch, 'train');
    expect(await rest(world, 'DELETE', `/tasks/${id}/issue`)).toMatchObject(ACCEPTED);
    issue.close({ by: 'ann' });
    await untilSettled(world);
    await untilAlive(task.word);
  });
});
