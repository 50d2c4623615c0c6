/** What a silent agent may hold of the app's places, and that one which answers is held up by nothing. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Loop } from '../../../src/engine/loop.ts';
import { type JobControl, RunnerUnreachable } from '../../../src/engine/ports/runner.ts';
import { startWorker } from '../../../src/engine/worker.ts';
import { makeMemoryStore } from '../../../src/store/memory/index.ts';
import { openByAgent } from '../../support/agent.ts';
import { silentLog } from '../../support/databases.ts';
import { orderOf } from '../../support/process-runner.ts';
import { json, type ScriptedAgent, startScriptedAgent, statusAs } from '../../support/scripted-agent.ts';

/** As many as the engine has. */
const PLACES = 16;

let agent: ScriptedAgent;
let control: JobControl;
let worker: Loop | undefined;

beforeEach(async () => {
  agent = await startScriptedAgent();
  // Longer than any test: whoever waits for that waits too long.
  control = openByAgent(agent.url, { answerMs: 600_000 });
});

afterEach(async () => {
  await control.close();
  await agent.close();
  await worker?.stop();
  worker = undefined;
});

/** It has answered before. */
async function answerOnce(): Promise<void> {
  agent.answer = json(statusAs());
  await control.inspect(['run_a']);
  agent.requests.length = 0;
}

const isCancel = (path: string) => path.endsWith('/cancel');

it('an agent that says nothing holds up no work of another runner, from its first calls on', async () => {
  agent.answer = () => {};
  const { queue } = makeMemoryStore({ now: () => new Date(), onEnqueued: () => worker?.wake() });
  const dueAt = new Date(Date.now() - 1_000);
  await queue.enqueue(Array.from({ length: 3 * PLACES }, (_, index) => ({ key: `task:${index}`, dueAt })));
  await queue.enqueue([{ key: 'task:elsewhere', dueAt: new Date() }]);
  const done: string[] = [];
  worker = startWorker({
    ...{ queue, owner: 'test', atOnce: PLACES, clock: () => new Date(), log: silentLog, waits: () => false },
    async handle({ key }) {
      if (key !== 'task:elsewhere') await control.inspect([key.replace(':', '_')]);
      done.push(key);
    },
  });
  await vi.waitFor(() => expect(done).toEqual(['task:elsewhere']), { timeout: 20_000 });
  expect(control.profile.silent).toBeNull();
});

it('of the first calls of an agent that has never answered a few wait for long, and none of the others for a second', async () => {
  agent.answer = () => {};
  const refused: unknown[] = [];
  const ask: (() => Promise<unknown>)[] = [
    () => control.inspect(['run_a']),
    () => control.start(orderOf('run_a', ['true'])),
    () => control.cancel('run_a', 'kill'),
    () => control.log('run_a', 10),
  ];
  const calls = ask.flatMap((each) => Array.from({ length: PLACES }, () => each()));
  for (const call of calls) call.catch((error: unknown) => refused.push(error));
  await vi.waitFor(() => expect(refused).toHaveLength(ask.length * (PLACES - 2)), { timeout: 20_000 });
  // Those that were told to give way have not even asked.
  expect(agent.requests).toHaveLength(2 * ask.length);
  for (const error of refused) expect(error).toBeInstanceOf(RunnerUnreachable);
});

it('all of the first calls get through once one of them is answered', async () => {
  agent.answer = json(statusAs());
  const found = await Promise.all(Array.from({ length: 3 * PLACES }, () => control.inspect(['run_a'])));
  expect(found).toHaveLength(3 * PLACES);
});

it.each<[string, () => Promise<unknown>]>([
  ['looks', () => control.inspect(['run_a'])],
  ['starts', () => control.start(orderOf('run_a', ['true']))],
  ['cancels', () => control.cancel('run_a', 'term')],
  ['logs', () => control.log('run_a', 10)],
])('of many %s without an answer a few go on waiting, and the next is told at once', async (_what, ask) => {
  await answerOnce();
  agent.answer = () => {};
  const refused: unknown[] = [];
  for (let call = 0; call < PLACES; call += 1) ask().catch((error: unknown) => refused.push(error));
  await vi.waitFor(() => expect(refused).toHaveLength(PLACES - 2), { timeout: 20_000 });
  await expect(ask()).rejects.toThrow(RunnerUnreachable);
  expect(agent.requests).toHaveLength(PLACES);
  // Those that still wait will tell.
  expect(control.profile.silent).toBeNull();
});

it('a hundred cancels get through at once while looks and starts hang', async () => {
  await answerOnce();
  const cancels: (() => void)[] = [];
  agent.answer = (request, response) => {
    if (isCancel(request.url ?? '')) cancels.push(() => json({ result: 'accepted' })(request, response));
    if (cancels.length === 100) for (const answer of cancels) answer();
  };
  const hanging: unknown[] = [];
  for (let call = 0; call < PLACES; call += 1) {
    control.inspect(['run_a']).catch((error: unknown) => hanging.push(error));
    control.start(orderOf('run_a', ['true'])).catch((error: unknown) => hanging.push(error));
  }
  await vi.waitFor(() => expect(hanging).toHaveLength(2 * (PLACES - 2)), { timeout: 20_000 });
  const results = await Promise.all(Array.from({ length: 100 }, () => control.cancel('run_a', 'term')));
  expect(new Set(results)).toEqual(new Set(['accepted']));
});

it('one that has gone silent altogether holds few of the cancels that follow', async () => {
  await answerOnce();
  agent.answer = () => {};
  const refused: unknown[] = [];
  const refuse = (error: unknown) => void refused.push(error);
  for (let call = 0; call < PLACES; call += 1) control.inspect(['run_a']).catch(refuse);
  await vi.waitFor(() => expect(refused).toHaveLength(PLACES - 2), { timeout: 20_000 });
  for (let call = 0; call < 100; call += 1) control.cancel('run_a', 'term').catch(refuse);
  await vi.waitFor(() => expect(refused).toHaveLength(PLACES - 2 + 98), { timeout: 20_000 });
  await expect(control.cancel('run_a', 'term')).rejects.toThrow(RunnerUnreachable);
});

it('an agent that answers gets all cancels of a hundred runs at once, however long each takes', async () => {
  await answerOnce();
  const waiting: (() => void)[] = [];
  agent.answer = (request, response) => {
    waiting.push(() => json({ result: 'accepted' })(request, response));
    if (waiting.length === 100) for (const answer of waiting) answer();
  };
  const cancels = Array.from({ length: 100 }, (_, index) => control.cancel(`run_${index}`, 'term'));
  expect(new Set(await Promise.all(cancels))).toEqual(new Set(['accepted']));
});

it('one that answers slowly, but goes on answering, is asked for all', async () => {
  await answerOnce();
  const waiting: (() => void)[] = [];
  agent.answer = (request, response) => void waiting.push(() => json(statusAs())(request, response));
  const looks = Array.from({ length: 8 }, () => control.inspect(['run_a']));
  const answering = setInterval(() => waiting.shift()?.(), 400);
  const found = await Promise.all(looks).finally(() => clearInterval(answering));
  expect(found.map((probes) => probes.get('run_a')?.state)).toEqual(Array(8).fill('no_record'));
});
