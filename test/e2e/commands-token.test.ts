/** With a token alone commands are found by the sweep, also those of the token's owner, as whom the app itself speaks. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { REPOSITORY, untilTask, WAIT } from '../support/world.ts';
import { pidsOf } from './programs.ts';
import { type ClockedWorld, closeWorld, makeClockedWorld, newIssue, startTask, untilSettled } from './support.ts';

let world: ClockedWorld;

beforeAll(async () => {
  world = await makeClockedWorld({ mode: 'token' });
  await world.start();
});

afterAll(() => closeWorld(world));

it('the first thing that is ever said in the repository is found, before anything was submitted to it', async () => {
  const text = 'tasks:\n  quick: { runs_on: local, run: ["true"] }\n';
  world.github.pushFile(REPOSITORY, { by: 'ann', path: '.github/standdown.yml', text });
  const issue = newIssue(world);
  const { id } = issue.comment({ by: 'ann', body: '/task run quick' });
  const said = () => world.github.comments(REPOSITORY, issue.number).find((comment) => comment.id === id);
  await expect.poll(() => said()?.reactions.map(({ content }) => content), WAIT).toContain('rocket');
  await untilSettled(world);
});

it('the token’s owner commands like anybody else, and the app’s own words, which are by the same account, never do', async () => {
  const issue = newIssue(world);
  const { batch, word } = await startTask(world, issue);
  issue.comment({ by: 'ann', body: '<!-- standdown:reply reply-1 -->\n/task hold' });
  issue.comment({ by: 'ann', body: '/task status\n/task cancel' });
  await untilTask(world, batch, 'train', { state: 'cancelled', cause: 'command', actor: 'ann', hold: null });
  expect(pidsOf(word)).toEqual([]);
  const comments = () => world.github.comments(REPOSITORY, issue.number);
  const replies = () =>
    comments().filter(({ body }) => body.startsWith('<!-- standdown:reply reply-') && body.includes('cancel'));
  await expect.poll(() => replies().length, WAIT).toBe(1);
  await untilSettled(world);
  expect(replies()).toHaveLength(1);
  const reactions = () => comments().flatMap(({ reactions }) => reactions.map(({ content }) => content));
  await expect.poll(reactions, WAIT).toContain('rocket');
});
