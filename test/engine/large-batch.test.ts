/** A batch with more tasks than are looked at in one go. */
import { afterEach, expect, it } from 'vitest';
import { submitBatch } from '../../src/engine/index.ts';
import { documentOf, type Embedded, embed, REPOSITORY, untilTask } from '../fixtures/engine/embedded.ts';

let embedded: Embedded;

afterEach(() => embedded.close());

it('that is full keeps no other batch from starting', async () => {
  embedded = await embed(null);
  const { deps, long } = embedded;
  await deps.store.commit([{ write: 'repository.put', repository: REPOSITORY }]);
  const names = Array.from({ length: 1_100 }, (_, index) => `t${index}`);
  const large = { ...documentOf(Object.fromEntries(names.map((name) => [name, { run: long }]))), maxParallel: 1 };
  const small = { ...documentOf({ small: { run: ['true'] } }), name: 'small' };
  const ids: string[] = [];
  for (const document of [large, small]) {
    const submitted = await submitBatch(deps, document, { dryRun: false, actor: 'ann' });
    if (submitted.result !== 'created') throw new Error(JSON.stringify(submitted));
    ids.push(submitted.tasks[0]?.id ?? '');
  }
  await embedded.start();
  await untilTask(embedded, ids[1] ?? '', { state: 'done', cause: 'run_succeeded' });
  expect(await deps.store.liveRuns()).toHaveLength(1);
});
