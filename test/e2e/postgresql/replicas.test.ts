/** Two apps on one PostgreSQL database: one drives the runner, the other only receives. However many carry it, one effect. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type App, startApp } from '../../../src/app/compose.ts';
import { readConfig } from '../../../src/app/config/index.ts';
import { anAttendant } from '../../support/attendant.ts';
import { makePostgresqlDatabase, postgresqlAdminUrl, silentLog, type TestDatabase } from '../../support/databases.ts';
import { expectNoViolations } from '../../support/openapi/index.ts';
import {
  API_TOKEN,
  addIssues,
  makeWorld,
  outcomesOf,
  REPOSITORY,
  submit,
  untilQuiet,
  untilRunning,
  untilTask,
  type World,
} from '../../support/world.ts';

const SLEEP = ['sh', '-c', 'sleep 300'];

let database: TestDatabase;
let world: World;
let receiver: App;

beforeAll(async () => {
  database = await makePostgresqlDatabase(postgresqlAdminUrl());
  world = await makeWorld({ databaseUrl: database.databaseUrl });
  addIssues(world, 1, 2, 3, 4);
  await world.start();
  receiver = await startReceiver();
});

afterAll(async () => {
  await receiver?.close(5_000);
  await world?.close();
  await database?.remove();
  expectNoViolations(world.github);
});

/** An app of the same database without any runner of its own. */
function startReceiver(): Promise<App> {
  const config = readConfig(world.env, (path) => (path.endsWith('standdown.yml') ? 'runners: {}\n' : null));
  return startApp(config, { log: silentLog, env: process.env, writePace: { gapMs: 0 }, runnerCheckSeconds: 0.2 });
}

async function call(url: string, method: string, path: string, json?: object) {
  const headers = { authorization: `Bearer ${API_TOKEN}`, 'content-type': 'application/json' };
  const init = { method, headers, ...(json && { body: JSON.stringify(json) }) };
  const response = await fetch(`${url}/api/v1${path}`, init);
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

describe('two apps on one database', () => {
  it('stop a run once and tell it once, whichever of them hears of the close', async () => {
    const batch = await submit(world, { train: { issue: 1, run: SLEEP } }, { name: 'one' });
    await untilRunning(world, batch, 'train');
    world.github.webhooks.to(`${receiver.url}/api/github/webhooks`);
    world.github.issue(REPOSITORY, 1).close({ by: 'ann', reason: 'completed' });
    await untilTask(world, batch, 'train', { state: 'done', cause: 'issue_completed' });
    await expect.poll(() => outcomesOf(world, 1).length, { timeout: 20_000 }).toBe(1);
    await untilQuiet(world);
    expect(outcomesOf(world, 1)).toHaveLength(1);
  });

  it('act once on a delivery that reaches both', async () => {
    const batch = await submit(world, { train: { issue: 2, run: SLEEP } }, { name: 'two' });
    await untilRunning(world, batch, 'train');
    world.github.webhooks.to(`${world.app().url}/api/github/webhooks`);
    const { guid } = world.github.issue(REPOSITORY, 2).close({ by: 'ann', reason: 'not_planned' });
    world.github.webhooks.to(`${receiver.url}/api/github/webhooks`);
    world.github.webhooks.redeliver(guid);
    await untilTask(world, batch, 'train', { state: 'cancelled', cause: 'issue_not_planned' });
    await expect.poll(() => outcomesOf(world, 2).length, { timeout: 20_000 }).toBe(1);
    await untilQuiet(world);
    expect(outcomesOf(world, 2)).toHaveLength(1);
  });

  it('start a reopened task on the app that has its runner', async () => {
    const batch = await submit(world, { train: { issue: 3, run: SLEEP } }, { name: 'three' });
    await untilRunning(world, batch, 'train');
    world.github.issue(REPOSITORY, 3).close({ by: 'ann', reason: 'completed' });
    await untilTask(world, batch, 'train', { state: 'done' });
    world.github.issue(REPOSITORY, 3).reopen({ by: 'ann' });
    await untilRunning(world, batch, 'train', 2);
  });

  it('give an attended task to one session, and tell it of the close by whichever app it asks', async () => {
    const batch = await submit(world, { train: { issue: 4, runs_on: 'attended', run: SLEEP } }, { name: 'four' });
    const taskId = batch.tasks[0]?.id;
    const apps = [receiver, world.app(), receiver, world.app()];
    const claims = apps.map(async ({ url }) => {
      const by = anAttendant();
      const { status, body } = await call(url, 'POST', `/tasks/${taskId}/attend`, by);
      return { status, runId: body.run_id, session: by.session };
    });
    const made = await Promise.all(claims);
    expect(made.map(({ status }) => status).toSorted()).toEqual([201, 409, 409, 409]);
    const { runId, session } = made.find(({ status }) => status === 201) ?? {};
    const path = `/runs/${runId}/attend?session=${session}`;
    expect((await call(world.app().url, 'GET', `${path}&wait_seconds=0`)).body).toMatchObject({ state: 'running' });
    await untilRunning(world, batch, 'train');
    const news = [receiver, world.app()].map(({ url }) => call(url, 'GET', path));
    world.github.issue(REPOSITORY, 4).close({ by: 'ann', reason: 'completed' });
    const why = 'acme/widgets#4 was closed as completed by ann';
    for (const { body } of await Promise.all(news)) expect(body).toMatchObject({ state: 'stopping', why });
    const end = { session, signal: 'TERM' };
    expect((await call(receiver.url, 'POST', `/runs/${runId}/attend/end`, end)).status).toBe(202);
    await untilTask(world, batch, 'train', { state: 'done', cause: 'issue_completed' });
    await expect.poll(() => outcomesOf(world, 4).length, { timeout: 20_000 }).toBe(1);
  });

  it('refuse to drive the same runner twice', async () => {
    const config = readConfig(world.env, () => 'runners:\n  local: { kind: process, repositories: ["acme/*"] }\n');
    await expect(startApp(config, { log: silentLog, env: process.env })).rejects.toThrow(
      'the runner local is driven by another app on the same database',
    );
  });
});
