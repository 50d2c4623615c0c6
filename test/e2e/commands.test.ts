/** People say it in a comment, and real processes start and stop: the real app, a stand-in GitHub, every word over HTTP. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { REPOSITORY, rest, runOf, submit, taskOf, untilTask, WAIT } from '../support/world.ts';
import { nasty, pidsOf, sleeper, untilAlive } from './programs.ts';
import { outcomesOf } from './rules.ts';
import {
  batchName,
  type ClockedWorld,
  closeWorld,
  eventsOf,
  type Hands,
  makeClockedWorld,
  newIssue,
  startTask,
  sweepNow,
  untilSettled,
} from './support.ts';

const FILE = '.github/standdown.yml';
let world: ClockedWorld;

beforeAll(async () => {
  world = await makeClockedWorld();
  await world.start();
});

afterAll(() => closeWorld(world));

/** Somebody says it; what it does is over when this is. */
async function say(issue: Hands, body: string, by = 'ann'): Promise<number> {
  world.clock.forward();
  const { id } = issue.comment({ by, body });
  await untilSettled(world);
  return id;
}

function commentsOf(issue: Hands) {
  return world.github.comments(REPOSITORY, issue.number);
}

function signsOn(issue: Hands, id: number): string[] {
  const comment = commentsOf(issue).find((each) => each.id === id);
  return (comment?.reactions ?? []).map(({ content }) => content).filter((content) => content !== 'eyes');
}

function repliesOn(issue: Hands): string[] {
  return commentsOf(issue)
    .map(({ body }) => body)
    .filter((body) => body.startsWith('<!-- standdown:reply '));
}

function push(text: string | null): void {
  world.github.pushFile(REPOSITORY, { by: 'ann', path: FILE, text });
}

const fileWith = (word: string) =>
  `tasks:\n  train: { runs_on: local, run: ["sh", "-c", "echo lr=$0; sleep 300; : ${word}", "\${{ inputs.lr }}"], inputs: { lr: { default: "0.1" } } }\n`;

describe('/task cancel', () => {
  it('stops the whole tree, is signed, and answered once by whoever asked', async () => {
    const issue = newIssue(world);
    const { word, run } = nasty('tree');
    const batch = await submit(world, { train: { issue: issue.number, run } }, batchName());
    await expect.poll(() => pidsOf(word).length, WAIT).toBeGreaterThanOrEqual(8);
    const id = await say(issue, 'That will do.\n\n/task cancel', 'tom');
    await untilTask(world, batch, 'train', { state: 'cancelled', cause: 'command', actor: 'tom' });
    await untilSettled(world);
    expect(pidsOf(word)).toEqual([]);
    expect(signsOn(issue, id)).toEqual(['rocket']);
    const [reply, ...more] = repliesOn(issue);
    expect(more).toEqual([]);
    expect(reply).toContain('`/task cancel`');
    expect(reply).toMatch(/run 1 was stopped/);
    expect(outcomesOf(world, issue.number)).toEqual([]);
  });

  it('is signed as done once its run was seen gone, and as seen before where that takes its time', async () => {
    const issue = newIssue(world);
    const program = { ...nasty('ignores_term'), grace_seconds: 5 };
    const task = await startTask(world, issue, program);
    const { id } = issue.comment({ by: 'ann', body: '/task cancel' });
    const signs = () =>
      commentsOf(issue)
        .find((each) => each.id === id)
        ?.reactions.map(({ content }) => content) ?? [];
    await expect.poll(signs, WAIT).toEqual(['eyes']);
    const early: string[] = [];
    await expect
      .poll(() => {
        if (pidsOf(task.word).length > 0) early.push(...signs().filter((content) => content === 'rocket'));
        return signs();
      }, WAIT)
      .toEqual(['eyes', 'rocket']);
    expect(early).toEqual([]);
    await untilSettled(world);
    expect(repliesOn(issue)[0]).toMatch(/TERM, then KILL/);
  });

  it('acts once where the app’s hook and the repository’s own tell of it, again and again, with sweeps between', async () => {
    const issue = newIssue(world);
    const task = await startTask(world, issue);
    world.github.webhooks.hold();
    world.clock.forward();
    const { delivery } = issue.comment({ by: 'ann', body: '/task hold' });
    await sweepNow(world);
    await untilSettled(world);
    await world.github.webhooks.release();
    await world.github.webhooks.redeliver(delivery.guid);
    await sweepNow(world);
    await untilSettled(world);
    expect(await taskOf(world, task.batch, 'train')).toMatchObject({ hold: { actor: 'ann' } });
    const accepted = await eventsOf(world, { type: 'COMMAND_ACCEPTED', issueNumber: issue.number });
    expect(accepted).toHaveLength(1);
    expect(repliesOn(issue)).toHaveLength(1);
    await say(issue, '/task cancel');
  });

  it('by a stranger gets a sign, no comment, and stops nothing', async () => {
    const issue = newIssue(world);
    const task = await startTask(world, issue);
    const id = await say(issue, '/task cancel', 'stranger');
    expect(signsOn(issue, id)).toEqual(['confused']);
    expect(repliesOn(issue)).toEqual([]);
    expect(await runOf(world, task.batch, 'train')).toMatchObject({ state: 'running' });
    await say(issue, '/task cancel');
  });

  it('that was lost with its webhook is found by the sweep, and one that was edited is not', async () => {
    const issue = newIssue(world);
    const task = await startTask(world, issue);
    world.github.webhooks.hold();
    world.clock.forward();
    const { id } = issue.comment({ by: 'ann', body: 'what a day' });
    world.clock.forward();
    issue.editComment(id, { by: 'ann', body: '/task cancel' });
    await sweepNow(world);
    await untilSettled(world);
    expect(await runOf(world, task.batch, 'train')).toMatchObject({ state: 'running' });
    issue.comment({ by: 'ann', body: '/task cancel' });
    await sweepNow(world);
    await untilTask(world, task.batch, 'train', { state: 'cancelled' });
    await world.github.webhooks.release();
    await untilSettled(world);
    expect(repliesOn(issue)).toHaveLength(1);
  });
});

describe('/task run', () => {
  it('starts what the default branch defines, with the inputs that were given, once', async () => {
    const issue = newIssue(world);
    const { word } = sleeper();
    push(fileWith(word));
    const id = await say(issue, '/task run train lr=0.01');
    await untilAlive(word);
    expect(signsOn(issue, id)).toEqual(['rocket']);
    const [task] = await world
      .app()
      .deps.store.tasksOfIssue({ repositoryId: await repositoryId(), number: issue.number });
    expect(task).toMatchObject({ key: 'train', batchId: null, spec: { template: 'train' } });
    const log = async () => (await rest(world, 'GET', `/tasks/${task?.id}/log`)).body;
    await expect.poll(log, WAIT).toContain('lr=0.01');
    const again = await say(issue, '/task run train');
    expect(signsOn(issue, again)).toEqual(['confused']);
    expect(repliesOn(issue).at(-1)).toContain(task?.id);
    await untilAlive(word);
    await say(issue, '/task logs');
    expect(repliesOn(issue).at(-1)).toContain('lr=0.01');
    issue.close({ by: 'ann' });
    await expect.poll(() => pidsOf(word), WAIT).toEqual([]);
    await untilSettled(world);
  });

  it('says what is wrong with the file, once, and starts nothing from it', async () => {
    const issue = newIssue(world);
    push('tasks: { train: { runs_on: local, run: "sh -c evil" } }\n');
    await say(issue, '/task run evil');
    await say(issue, '/task run evil');
    const notices = commentsOf(issue).filter(({ body }) => body.startsWith('<!-- standdown:notice '));
    expect(notices).toHaveLength(1);
    expect(notices[0]?.body).toContain('tasks.train.run');
    push(null);
  });
});

describe('/batch', () => {
  it('run starts it in the issue, cancel keeps the rest from starting', async () => {
    const issue = newIssue(world);
    const { word } = sleeper();
    const tasks = [
      `first: { runs_on: local, run: ["sh", "-c", "sleep 300; : ${word}"] }`,
      'second: { runs_on: local, run: ["true"], needs: [first] }',
    ];
    push(`batches:\n  nightly:\n    tasks:\n      ${tasks.join('\n      ')}\n`);
    await say(issue, '/batch run nightly');
    await untilAlive(word);
    const ref = { repositoryId: await repositoryId(), number: issue.number };
    const [batch] = await world.app().deps.store.batchesOfIssue(ref, 2);
    expect(batch).toMatchObject({ name: 'nightly', state: 'running' });
    await say(issue, '/batch cancel');
    const states = async () => (await world.app().deps.store.tasksOfBatch(batch?.id ?? '')).map(({ state }) => state);
    await expect.poll(states, WAIT).toEqual(['running', 'cancelled']);
    await say(issue, '/task cancel first');
    await expect.poll(states, WAIT).toEqual(['cancelled', 'cancelled']);
    expect(pidsOf(word)).toEqual([]);
    push(null);
  });
});

async function repositoryId(): Promise<string> {
  return (await world.app().deps.store.repositoryByName(REPOSITORY))?.id ?? '';
}
