/** How old what is known of GitHub is, as anybody can see it: it grows while GitHub is silent, and says why. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runCli } from '../../src/cli/index.ts';
import { API_TOKEN, REPOSITORY, rest, untilTask, WAIT } from '../support/world.ts';
import { type ClockedWorld, closeWorld, makeClockedWorld, newIssue, startTask, sweepNow } from './support.ts';

const THERE = 'acme/archive';

let world: ClockedWorld;

beforeAll(async () => {
  world = await makeClockedWorld();
  world.github.addRepository(THERE);
  await world.start();
});
afterAll(() => closeWorld(world));

interface Known {
  observed_at: string;
  swept_at: string;
  data_age_seconds: number;
  problem: { code: string; since: string } | null;
}

async function repository(): Promise<Known> {
  const { body } = await rest(world, 'GET', `/repositories?repository=${REPOSITORY}`);
  const { items } = body as { items: Known[] };
  expect(items).toHaveLength(1);
  return items[0]!;
}

async function issueOf(taskId: string): Promise<Known> {
  return ((await rest(world, 'GET', `/tasks/${taskId}`)).body as { issue_state: Known }).issue_state;
}

async function cli(...args: string[]): Promise<string> {
  const { exitCode, out } = await ran(...args);
  expect({ exitCode, out }).toMatchObject({ exitCode: 0 });
  return out;
}

async function ran(...args: string[]): Promise<{ exitCode: number; out: string }> {
  const out: string[] = [];
  const exitCode = await runCli(args, {
    ...{ version: '0.0.0', env: { STANDDOWN_URL: world.app().url, STANDDOWN_API_TOKEN: API_TOKEN } },
    ...{ stdout: { write: (text) => out.push(text) }, stderr: { write: (text) => out.push(text) } },
    ...{ onInterrupt: () => () => {}, readInput: async () => '', serve: async () => 0, demo: async () => 0 },
    agent: async () => 0,
    attend: async () => 0,
    migrate: async () => [],
  });
  return { exitCode, out: out.join('') };
}

it('a repository and an issue are as old as the last sweep that reached them, and tell what is in the way', async () => {
  const { batch } = await startTask(world, newIssue(world));
  const [{ id } = { id: '' }] = batch.tasks;
  await sweepNow(world);
  const { swept_at: before } = await repository();
  const issue = await issueOf(id);
  expect(issue).toMatchObject({ state: 'open', presence: 'present', problem: null });
  // Nothing of it has changed, so a sweep alone can have made it younger.
  await expect.poll(async () => (await issueOf(id)).data_age_seconds, WAIT).toBeGreaterThan(1);
  await sweepNow(world);
  const swept = await issueOf(id);
  expect(swept.observed_at).toBe(issue.observed_at);
  expect(swept.data_age_seconds).toBeLessThan((Date.now() - Date.parse(issue.observed_at)) / 1_000 - 1);

  const silence = world.github.faults.add({ kind: 'answer', status: 502, path: '/repos/{owner}/{repo}/issues' });
  await sweepNow(world);
  const failing = await repository();
  expect(failing.problem).toMatchObject({ look: 'changes', code: 'retryable' });
  expect(await issueOf(id)).toMatchObject({ state: 'open', problem: failing.problem });
  expect(await cli('repositories')).toMatch(/^acme\/widgets +ok .* for \d+ s: retryable: /m);
  expect(await cli('task', 'show', id)).toMatch(/: open, as seen \d+ s ago\ncan't be read anew for \d+ s: retryable: /);

  silence();
  await sweepNow(world);
  const again = await repository();
  expect(again.problem).toBeNull();
  expect(new Date(again.swept_at).getTime()).toBeGreaterThan(new Date(before).getTime());
  expect(await issueOf(id)).toMatchObject({ problem: null });
});

it('an App that is suspended where something runs is wrong to the doctor, and the issue says that nobody looks at it', async () => {
  const { batch } = await startTask(world, newIssue(world));
  const [{ id } = { id: '' }] = batch.tasks;
  expect(await cli('doctor')).toMatch(/^Nothing is wrong\.$/m);
  world.github.installation.suspend({ by: 'ann' });
  await expect.poll(() => issueOf(id), WAIT).toMatchObject({ access: 'suspended', problem: null });
  const { exitCode, out } = await ran('doctor');
  expect(out).toMatch(/^wrong +access +the App is suspended on acme\/widgets for \d+ s: /m);
  expect(exitCode).toBe(1);
  expect(await cli('task', 'show', id)).toMatch(/ ago\nnot looked at for \d+ s: the App is suspended there\n/);

  world.github.installation.unsuspend({ by: 'ann' });
  await expect.poll(() => issueOf(id), WAIT).toMatchObject({ access: 'ok', access_since: null });
  expect(await cli('doctor')).toMatch(/^Nothing is wrong\.$/m);
});

it('an issue that was transferred says where it is now', async () => {
  const issue = newIssue(world);
  const { batch } = await startTask(world, issue);
  const [{ id } = { id: '' }] = batch.tasks;
  issue.transfer(THERE, { by: 'ann' });
  await untilTask(world, batch, 'train', { state: 'cancelled', cause: 'issue_transferred' });
  const movedTo = expect.stringMatching(new RegExp(`/${THERE}/issues/\\d+$`));
  expect(await issueOf(id)).toMatchObject({ presence: 'transferred', moved_to: movedTo });
  const path = `/issues/${REPOSITORY}/${issue.number}/explain`;
  expect((await rest(world, 'GET', path)).body).toMatchObject({ state: 'transferred', moved_to: movedTo });
  expect(await cli('task', 'show', id)).toMatch(
    /: transferred to http\S+\/acme\/archive\/issues\/\d+, as seen \d+ s ago\n/,
  );
  expect(await cli('explain', `${REPOSITORY}#${issue.number}`)).toMatch(/: transferred to http\S+\/acme\/archive\//);
});
