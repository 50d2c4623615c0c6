/** The worker's places: who waits for somebody else's answer takes none, so that a stop finds one. And when failed work comes back. */
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, expect, it, vi } from 'vitest';
import type { Loop } from '../../src/engine/loop.ts';
import { GitHubError } from '../../src/engine/ports.ts';
import { startWorker } from '../../src/engine/worker.ts';
import { makeMemoryStore } from '../../src/store/memory/index.ts';
import { silentLog } from '../support/databases.ts';

const clock = () => new Date();
let worker: Loop | undefined;
let answer: () => void = () => {};

afterEach(async () => {
  vi.useRealTimers();
  answer();
  await worker?.stop();
});

it('any number of keys that wait leave its places to those that work', async () => {
  const { queue } = makeMemoryStore({ now: clock, onEnqueued: () => worker?.wake() });
  const silence = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const begun: string[] = [];
  const options = { queue, owner: 'test', atOnce: 2, clock, log: silentLog };
  const dueAt = new Date(clock().getTime() - 1_000);
  await queue.enqueue(Array.from({ length: 40 }, (_, index) => ({ key: `issue:1#${index + 1}`, dueAt })));
  await queue.enqueue([{ key: 'task:stop', dueAt: clock() }]);
  worker = startWorker({
    ...options,
    waits: (key) => key.startsWith('issue:'),
    async handle({ key }) {
      begun.push(key);
      if (key.startsWith('issue:')) await silence;
    },
  });
  await vi.waitFor(() => expect(begun).toContain('task:stop'));
  expect(begun).toHaveLength(41);
});

it('no more work than there are places for is in hand at once', async () => {
  const { queue } = makeMemoryStore({ now: clock, onEnqueued: () => worker?.wake() });
  let [now, most, done] = [0, 0, 0];
  await queue.enqueue(Array.from({ length: 9 }, (_, index) => ({ key: `task:${index}`, dueAt: clock() })));
  worker = startWorker({
    queue,
    owner: 'test',
    atOnce: 2,
    clock,
    log: silentLog,
    waits: () => false,
    async handle() {
      now += 1;
      most = Math.max(most, now);
      await new Promise((resolve) => setImmediate(resolve));
      now -= 1;
      done += 1;
    },
  });
  await vi.waitFor(() => expect(done).toBe(9));
  expect(most).toBe(2);
});

it('what is in hand is not taken a second time after this process stood still for longer than a lease', async () => {
  let aheadMs = 0;
  const ahead = () => new Date(Date.now() + aheadMs);
  const { queue } = makeMemoryStore({ now: ahead, onEnqueued: () => worker?.wake() });
  const done = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const begun: string[] = [];
  await queue.enqueue([{ key: 'task:long', dueAt: ahead() }]);
  worker = startWorker({
    queue,
    owner: 'test',
    atOnce: 4,
    clock: ahead,
    log: silentLog,
    waits: () => false,
    async handle({ key }) {
      begun.push(key);
      if (key === 'task:long') await done;
    },
  });
  await vi.waitFor(() => expect(begun).toEqual(['task:long']));
  aheadMs = 600_000;
  await queue.enqueue([{ key: 'task:next', dueAt: ahead() }]);
  await vi.waitFor(() => expect(begun).toContain('task:next'));
  expect(begun).toEqual(['task:long', 'task:next']);
});

it.each([
  ['as long as GitHub asks for', 30, 30_000, 36_000],
  ['also where that is long', 3_600, 3_600_000, 4_320_000],
  ['a moment where it asks for nothing', null, 500, 500],
])('work that GitHub refused waits %s', async (_, retryAfterSeconds, least, most) => {
  const { queue } = makeMemoryStore({ now: clock, onEnqueued: () => {} });
  const error = new GitHubError('throttled', 'slow down', { retryAfterSeconds });
  const again = new Promise<Date>((resolve) => {
    const fail: typeof queue.fail = async (lease, dueAt, message) => {
      resolve(dueAt);
      return queue.fail(lease, dueAt, message);
    };
    worker = startWorker({
      queue: { ...queue, fail },
      owner: 'test',
      atOnce: 1,
      clock: () => new Date(1_800_000_000_000),
      log: silentLog,
      waits: () => false,
      handle: () => Promise.reject(error),
    });
  });
  await queue.enqueue([{ key: 'comments:1#12', dueAt: clock() }]);
  worker?.wake();
  const waits = (await again).getTime() - 1_800_000_000_000;
  expect(waits).toBeGreaterThanOrEqual(least);
  expect(waits).toBeLessThanOrEqual(most);
});

it('a key that was enqueued while in hand comes again at once, and the queue is asked for no more once nothing is due', async () => {
  // No poll comes to help.
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  const { queue } = makeMemoryStore({ now: clock, onEnqueued: () => worker?.wake() });
  const looks: string[] = [];
  await queue.enqueue([{ key: 'task:1', dueAt: clock() }]);
  worker = startWorker({
    queue: {
      ...queue,
      async claim(...asked) {
        const leases = await queue.claim(...asked);
        looks.push(`${leases.length} due`);
        return leases;
      },
      async complete(lease) {
        const left = await queue.complete(lease);
        looks.push(left ? 'done' : 'due again');
        return left;
      },
    },
    owner: 'test',
    atOnce: 2,
    clock,
    log: silentLog,
    waits: () => false,
    async handle({ key }) {
      if (looks.length === 1) await queue.enqueueForOthers([{ key, dueAt: clock() }]);
    },
  });
  while (!looks.includes('done')) await turn();
  for (let turns = 0; turns < 5; turns++) await turn();
  expect(looks).toEqual(['1 due', 'due again', '1 due', 'done']);
});
