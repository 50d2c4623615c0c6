/** What a task asks to be passed on, against what the operator lets its runner pass. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { submitBatch } from '../../src/engine/index.ts';
import { documentOf, type Embedded, embed, REPOSITORY } from '../fixtures/engine/embedded.ts';

let embedded: Embedded;
beforeEach(async () => {
  embedded = await embed(null);
  await embedded.deps.store.commit([{ write: 'repository.put', repository: REPOSITORY }]);
});
afterEach(() => embedded.close());

it('is refused where the runner does not pass it, naming what it passes, and nothing is written', async () => {
  const document = documentOf({
    good: { run: ['true'], env_from: ['PASSED_ON'] },
    bad: { run: ['true'], env_from: ['PASSED_ON', 'APP_SECRET'] },
  });
  for (const dryRun of [true, false]) {
    expect(await submitBatch(embedded.deps, document, { dryRun, actor: 'ann' })).toEqual({
      result: 'invalid',
      problems: [
        { path: 'tasks.bad.env_from[1]', message: 'runner local does not pass APP_SECRET; it passes: PASSED_ON' },
      ],
    });
  }
  expect((await embedded.deps.store.queries.batches({ limit: 9 })).items).toEqual([]);
});

it('is accepted where the runner passes it', async () => {
  const document = documentOf({ good: { run: ['true'], env_from: ['PASSED_ON'] } });
  expect(await submitBatch(embedded.deps, document, { dryRun: false, actor: 'ann' })).toMatchObject({
    result: 'created',
    tasks: [{ spec: { envFrom: ['PASSED_ON'] } }],
  });
});
