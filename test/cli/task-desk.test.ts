/** What an attended task's end is made of, before it is sent. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { makeClient } from '../../src/cli/client.ts';
import { makeTaskDesk } from '../../src/cli/task-desk.ts';
import { type FakeApp, startApp } from './support.ts';

let app: FakeApp;
beforeEach(async () => {
  app = await startApp();
});
afterEach(() => app.close());

it('names no more survivors than are taken, so that an end with more is none that is refused', async () => {
  app.answers['POST /runs/run_1/attend/end'] = { status: 202, body: { accepted: true } };
  const desk = makeTaskDesk((ended) => makeClient({ url: app.url, apiToken: 'a-token' }, ended), 'task_1');
  const survivors = Array.from({ length: 1_001 }, (_, n) => n + 1);
  const end = { exitCode: null, signal: 'KILL', survivors, killed: true, agoMs: 0 };
  expect(await desk.end({ runId: 'run_1', session: 's' }, end)).toEqual({ result: 'taken' });
  expect(app.calls).toMatchObject([{ body: { survivors: survivors.slice(0, 1_000), killed: true } }]);
});
