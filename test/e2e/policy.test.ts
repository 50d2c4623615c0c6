/** What the repository's file says of closes and reopens, from a push to its default branch to what happens to processes. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseOperatorFile, parseYaml } from '../../src/core/documents/index.ts';
import type { Policy } from '../../src/core/policy.ts';
import { REPOSITORY, rest, runOf, submit, taskOf, untilRunning, untilTask, WAIT } from '../support/world.ts';
import { finish, finisher, pidOf, pidsOf } from './programs.ts';
import { outcomesOf } from './rules.ts';
import {
  batchName,
  type ClockedWorld,
  closeWorld,
  eventsOf,
  makeClockedWorld,
  newIssue,
  numberOfRuns,
  startTask,
  sweepNow,
  untilSettled,
} from './support.ts';

let world: ClockedWorld;

beforeAll(async () => {
  world = await makeClockedWorld();
  await world.start();
  // The repository is known from its first batch on.
  await submit(world, { first: { run: ['true'] } }, batchName());
});

afterAll(() => closeWorld(world));

const PATH = '.github/standdown.yml';

/** Pushed by a person, and known by the webhook alone. */
async function push(text: string | null): Promise<void> {
  world.github.pushFile(REPOSITORY, { by: 'ann', path: PATH, text });
  await untilSettled(world);
}

async function policyNow(): Promise<Policy> {
  const { store, policyOf } = world.app().deps;
  const repository = await store.repositoryByName(REPOSITORY);
  return policyOf(repository?.id ?? '');
}

async function untilEvent(type: string, issue: { number: number }): Promise<void> {
  await expect.poll(() => eventsOf(world, { type, issueNumber: issue.number }), WAIT).toHaveLength(1);
}

describe('on_close', () => {
  const pushActions = () =>
    push('policy: { on_close: { completed: let_finish, not_planned: done, duplicate: ignore, unknown: cancel } }\n');

  it('let_finish: what runs goes on to its own end, and what fails then is not tried again', async () => {
    await pushActions();
    const issue = newIssue(world);
    const retry = { attempts: 3, backoff_seconds: 0 };
    const { batch, word } = await startTask(world, issue, { ...finisher(3), retry });
    issue.close({ by: 'ann', reason: 'completed' });
    await untilEvent('TASK_EXEMPTED', issue);
    await finish(await pidOf(word));
    const task = await untilTask(world, batch, 'train', { state: 'failed', cause: 'run_failed' });
    await untilSettled(world);
    expect(await numberOfRuns(world, task.id)).toBe(1);
  });

  it('done, said of another reason than completed, counts as done', async () => {
    await pushActions();
    const issue = newIssue(world);
    const { batch, word } = await startTask(world, issue);
    issue.close({ by: 'ann', reason: 'not_planned' });
    await untilTask(world, batch, 'train', { state: 'done', cause: 'issue_not_planned', actor: 'ann' });
    expect(pidsOf(word)).toEqual([]);
  });

  it('ignore: the run goes on, succeeds for the closed issue, and nobody is told anything', async () => {
    await pushActions();
    const issue = newIssue(world);
    const { batch, word } = await startTask(world, issue, finisher(0));
    issue.close({ by: 'ann', reason: 'duplicate' });
    await untilEvent('TASK_EXEMPTED', issue);
    await finish(await pidOf(word));
    await untilTask(world, batch, 'train', { state: 'done', cause: 'run_succeeded' });
    await untilSettled(world);
    expect(outcomesOf(world, issue.number)).toEqual([]);
  });

  it('cancel, where no reason was given', async () => {
    await pushActions();
    const issue = newIssue(world);
    const { batch, word } = await startTask(world, issue);
    issue.close({ by: 'ann', reason: null });
    await untilTask(world, batch, 'train', { state: 'cancelled', actor: 'ann' });
    expect(pidsOf(word)).toEqual([]);
  });

  it('a reason that changes afterwards is journalled, and changes nothing', async () => {
    await pushActions();
    const issue = newIssue(world);
    const { batch } = await startTask(world, issue);
    issue.close({ by: 'ann', reason: 'not_planned' });
    await untilTask(world, batch, 'train', { state: 'done' });
    await untilSettled(world);
    const before = await taskOf(world, batch, 'train');
    world.clock.forward();
    issue.close({ by: 'ann', reason: 'duplicate' });
    await untilSettled(world);
    await sweepNow(world);
    expect(await eventsOf(world, { type: 'ISSUE_REASON_CHANGED', issueNumber: issue.number })).toHaveLength(1);
    expect(await taskOf(world, batch, 'train')).toEqual(before);
  });
});

describe('on_reopen', () => {
  async function failed(issue: ReturnType<typeof newIssue>) {
    const { batch, word } = await startTask(world, issue, finisher(1));
    await finish(await pidOf(word));
    await untilTask(world, batch, 'train', { state: 'failed' });
    return batch;
  }

  async function closeAndReopen(issue: ReturnType<typeof newIssue>): Promise<void> {
    world.clock.forward();
    issue.close({ by: 'ann', reason: 'completed' });
    await untilSettled(world);
    world.clock.forward();
    issue.reopen({ by: 'ann' });
    await untilSettled(world);
  }

  it('ignore: nothing is queued again', async () => {
    await push('policy: { on_reopen: ignore }\n');
    const issue = newIssue(world);
    const { batch } = await startTask(world, issue);
    await closeAndReopen(issue);
    expect(await taskOf(world, batch, 'train')).toMatchObject({ state: 'done', generation: 1 });
  });

  it('requeue_unsuccessful: also what had failed before the close, and not what had succeeded', async () => {
    await push('policy: { on_reopen: requeue_unsuccessful }\n');
    const issue = newIssue(world);
    const batch = await failed(issue);
    const succeeded = await startTask(world, issue, finisher(0));
    await finish(await pidOf(succeeded.word));
    await untilTask(world, succeeded.batch, 'train', { state: 'done' });
    await closeAndReopen(issue);
    await untilRunning(world, batch, 'train', 2);
    expect(await runOf(world, succeeded.batch, 'train')).toMatchObject({ number: 1 });
  });

  it('requeue_all: also what had succeeded', async () => {
    await push('policy: { on_reopen: requeue_all }\n');
    const issue = newIssue(world);
    const { batch, word } = await startTask(world, issue, finisher(0));
    await finish(await pidOf(word));
    await untilTask(world, batch, 'train', { state: 'done' });
    await closeAndReopen(issue);
    await untilRunning(world, batch, 'train', 2);
  });

  it('beyond max_requeues_per_hour its task is held until a person releases it', async () => {
    await push('policy: { max_requeues_per_hour: 1 }\n');
    const issue = newIssue(world);
    const { batch } = await startTask(world, issue);
    await closeAndReopen(issue);
    await untilRunning(world, batch, 'train', 2);
    await closeAndReopen(issue);
    const task = await taskOf(world, batch, 'train');
    expect(task).toMatchObject({ state: 'ready', generation: 3, hold: { actor: 'standdown' } });
    expect(outcomesOf(world, issue.number).at(-1)).toMatch(/on hold/);
    expect((await rest(world, 'POST', `/tasks/${task.id}/release`, {})).status).toBe(202);
    await untilRunning(world, batch, 'train', 3);
  });
});

describe('permissions', () => {
  async function reopenedBy(login: string) {
    const issue = newIssue(world);
    const { batch } = await startTask(world, issue);
    issue.close({ by: 'ann', reason: 'completed' });
    await untilTask(world, batch, 'train', { state: 'done' });
    world.clock.forward();
    issue.reopen({ by: login });
    await untilSettled(world);
    return taskOf(world, batch, 'train');
  }

  it('say whose close counts as done and whose reopen starts work', async () => {
    await push('permissions: { done: admin, retry: triage }\n');
    const issue = newIssue(world);
    const { batch } = await startTask(world, issue);
    issue.close({ by: 'ann', reason: 'completed' });
    await untilTask(world, batch, 'train', { state: 'cancelled', cause: 'issue_closed' });
    world.clock.forward();
    issue.reopen({ by: 'tom' });
    await untilTask(world, batch, 'train', { generation: 1, state: 'cancelled' });
    await untilSettled(world);
    // The operator's floor is `write`, whatever the file says.
    expect(await taskOf(world, batch, 'train')).toMatchObject({ generation: 1 });
    world.clock.forward();
    issue.close({ by: 'ann' });
    await untilSettled(world);
    world.clock.forward();
    issue.reopen({ by: 'ann' });
    await untilRunning(world, batch, 'train', 2);
  });

  it("have the operator's floor under them, also one that is raised while the app runs", async () => {
    await push('permissions: { retry: none }\n');
    expect((await policyNow()).permissions.retry).toBe('write');
    expect(await reopenedBy('tom')).toMatchObject({ state: 'done', generation: 1 });
    await reload('permissions_floor: { retry: admin }\n');
    expect(await reopenedBy('ann')).toMatchObject({ state: 'done', generation: 1 });
    await reload('permissions_floor: { retry: triage }\n');
    expect(await reopenedBy('tom')).toMatchObject({ generation: 2 });
    await reload('');
  });

  async function reload(more: string): Promise<void> {
    const source = parseYaml(`${world.operator}${more}`);
    const file = parseOperatorFile(source.ok && source.value.value);
    if (!file.ok) throw new Error(JSON.stringify(file.problems));
    await world.app().reload(file.value);
  }
});

describe('notify', () => {
  async function endingWith(exitCode: number): Promise<string[]> {
    const issue = newIssue(world);
    const { batch, word } = await startTask(world, issue, finisher(exitCode));
    await finish(await pidOf(word));
    await untilTask(world, batch, 'train', { state: exitCode === 0 ? 'done' : 'failed' });
    await untilSettled(world);
    return outcomesOf(world, issue.number);
  }

  it('all: a success is told as well as a failure', async () => {
    await push('policy: { notify: all }\n');
    expect(await endingWith(0)).toEqual([expect.stringMatching(/`train`: run 1 succeeded after [\d.]+ m?s/)]);
    expect(await endingWith(1)).toEqual([expect.stringMatching(/run 1 ended with exit code 1/)]);
  });

  it('none: neither is', async () => {
    await push('policy: { notify: none }\n');
    expect(await endingWith(0)).toEqual([]);
    expect(await endingWith(1)).toEqual([]);
  });
});

describe('a wrong file', () => {
  it('leaves the last good one in force, and a file that is gone leaves the defaults', async () => {
    await push('policy: { on_reopen: ignore }\n');
    await push('policy: { on_reopen: always }\n');
    expect(await policyNow()).toMatchObject({ onReopen: 'ignore' });
    const [event] = (await eventsOf(world, { type: 'REPOSITORY_FILE_WRONG' })).slice(-1);
    expect(event?.data.problems).toEqual([expect.stringMatching(/^line 1, column \d+: policy\.on_reopen: /)]);
    await push(null);
    expect(await policyNow()).toMatchObject({ onReopen: 'requeue_stopped' });
  });
});
