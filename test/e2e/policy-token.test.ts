/** With a token alone nobody tells of a push: the sweep and what starts work read the file themselves. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { REPOSITORY, submit, taskOf, untilRunning, untilTask, WAIT } from '../support/world.ts';
import { finish, finisher, pidOf, pidsOf } from './programs.ts';
import {
  batchName,
  type ClockedWorld,
  closeWorld,
  eventsOf,
  makeClockedWorld,
  newIssue,
  startTask,
  sweepNow,
} from './support.ts';

let world: ClockedWorld;

beforeAll(async () => {
  world = await makeClockedWorld({ mode: 'token' });
  await world.start();
});

afterAll(() => closeWorld(world));

function push(text: string): void {
  world.github.pushFile(REPOSITORY, { by: 'ann', path: '.github/standdown.yml', text });
}

it('a policy that was changed after a run began counts from the next sweep on', async () => {
  const issue = newIssue(world);
  const { batch, word } = await startTask(world, issue);
  push('policy: { on_close: { completed: cancel } }\n');
  issue.close({ by: 'ann', reason: 'completed' });
  await untilTask(world, batch, 'train', { state: 'cancelled', cause: 'issue_completed', actor: 'ann' });
  expect(pidsOf(word)).toEqual([]);
});

it('a batch that uses a template goes by the file as it is at that moment', async () => {
  const template = `{ runs_on: local, run: ["sh", "-c", "echo $1; sleep 300", "train", "\${{ inputs.lr }}"], inputs: { lr: {} } }`;
  push(`tasks: { train: ${template} }\n`);
  const batch = await submit(world, { train: { uses: 'train', with: { lr: '0.5' } } as never }, batchName());
  await untilRunning(world, batch, 'train');
  expect((await taskOf(world, batch, 'train')).spec).toMatchObject({
    template: 'train',
    run: ['sh', '-c', 'echo $1; sleep 300', 'train', '0.5'],
  });
});

it('an issue that is done with is closed as the owner of the token, and that ends nothing', async () => {
  push('policy: { close_issue_on_done: true }\n');
  await sweepNow(world);
  const issue = newIssue(world);
  const { batch, word } = await startTask(world, issue, finisher(0));
  await finish(await pidOf(word));
  const closed = () => world.github.findIssue(REPOSITORY, issue.number)?.state;
  await expect.poll(closed, WAIT).toBe('closed');
  const episodes = () => eventsOf(world, { type: 'ISSUE_CLOSED', issueNumber: issue.number });
  await expect.poll(episodes, WAIT).toMatchObject([{ data: { actor: 'ann', action: 'ignore' } }]);
  await sweepNow(world);
  expect(await taskOf(world, batch, 'train')).toMatchObject({ state: 'done', cause: 'run_succeeded' });
  const events = world.github.findIssue(REPOSITORY, issue.number)?.events ?? [];
  expect(events.filter(({ event }) => event === 'closed')).toHaveLength(1);
});
