/** After the clock was set back, what was put off is put off for as long as it was meant to be. */
import { afterEach, expect, it } from 'vitest';
import { bringStartsForward } from '../../src/engine/clock-set-back.ts';
import { SCHEDULE_KEY } from '../../src/engine/keys.ts';
import { type Embedded, embed, REPOSITORY, submit } from '../fixtures/engine/embedded.ts';

const HOUR_MS = 3_600_000;

let embedded: Embedded;

afterEach(() => embedded.close());

it('brings starts forward by what the clock lost, and leaves those that nothing puts off', async () => {
  embedded = await embed(null);
  const { store, clock } = embedded.deps;
  await store.commit([{ write: 'repository.put', repository: REPOSITORY }]);
  const [retry = '', free = ''] = await submit(embedded, { retry: { run: ['true'] }, free: { run: ['true'] } });
  const before = clock().getTime();
  const notBefore = new Date(before + HOUR_MS + 5_000);
  await store.commit([{ write: 'task.update', id: retry, version: 1, set: { notBefore } }]);

  await bringStartsForward(embedded.deps, HOUR_MS);

  expect((await store.task(retry))?.notBefore).toEqual(new Date(before + 5_000));
  expect(await store.task(free)).toMatchObject({ notBefore: null, version: 1 });
  const due = await store.queue.claim('test', 99, 1_000);
  expect(due.map(({ key }) => key)).toContain(SCHEDULE_KEY);
});

it('makes due at once what was put off for less than that', async () => {
  embedded = await embed(null);
  const { store, clock } = embedded.deps;
  await store.commit([{ write: 'repository.put', repository: REPOSITORY }]);
  const [retry = ''] = await submit(embedded, { retry: { run: ['true'] } });
  const notBefore = new Date(clock().getTime() + 60_000);
  await store.commit([{ write: 'task.update', id: retry, version: 1, set: { notBefore } }]);

  await bringStartsForward(embedded.deps, HOUR_MS);

  const due = (await store.task(retry))?.notBefore ?? notBefore;
  expect(due.getTime()).toBeLessThanOrEqual(clock().getTime());
});

it('lets what waits for a time that somebody outside told wait for just that', async () => {
  embedded = await embed(null);
  const { store, clock } = embedded.deps;
  await store.commit([{ write: 'repository.put', repository: REPOSITORY }]);
  const [limited = ''] = await submit(embedded, { limited: { run: ['true'] } });
  const until = new Date(clock().getTime() + 2 * HOUR_MS);
  const set = { notBefore: until, notBeforeTold: true };
  await store.commit([{ write: 'task.update', id: limited, version: 1, set }]);

  await bringStartsForward(embedded.deps, HOUR_MS);

  expect((await store.task(limited))?.notBefore).toEqual(until);
});
