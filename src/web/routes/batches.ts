/** `/batches`: submit, list, show, and what is asked of a whole batch. */
import { type Context, Hono } from 'hono';
import { withPlaces } from '../../core/documents/index.ts';
import type { BatchResult } from '../../engine/batch-orders.ts';
import { readDocument, readObject } from '../body.ts';
import { conflict, HttpError } from '../errors.ts';
import { type Actions, API_ACTOR } from '../ports.ts';
import { readId, readQuery, unknown } from '../query.ts';
import { batchesQuery, cancelBody, nothing, reasonBody, resumeBody, submitQuery } from '../schemas/requests.ts';
import { type Sources, viewBatch, viewBatches, viewBatchOf, viewPlanned } from '../views.ts';

const actor = API_ACTOR;

export function batchRoutes({ actions, ...sources }: Sources & { actions: Actions }): Hono {
  const { reads } = sources;
  const app = new Hono();

  app.post('/', async (c) => {
    const { dry_run: dryRun } = readQuery(c, submitQuery);
    const document = await readDocument(c);
    const submitted = await actions.submitBatch(document.value, { dryRun, actor });
    if (submitted.result === 'invalid') {
      const problems = withPlaces(submitted.problems, document.locate);
      throw new HttpError('invalid_document', 'the batch document is wrong', { problems });
    }
    if (submitted.result === 'conflict') throw conflict(submitted);
    if (submitted.result === 'unavailable') throw new HttpError('unavailable', submitted.message);
    if (submitted.result === 'planned') return c.json(await viewPlanned(sources, submitted), 200);
    const { batch, tasks } = submitted;
    return c.json(await viewBatchOf(sources, batch, tasks), 201, { location: `/api/v1/batches/${batch.id}` });
  });

  app.get('/', async (c) => {
    const { repository, ...query } = readQuery(c, batchesQuery);
    const found = repository === undefined ? undefined : await reads.repositoryByName(repository);
    if (found === null) return c.json({ items: [], next: null });
    const page = await reads.queries.batches({ ...query, ...(found && { repositoryId: found.id }) });
    return c.json({ items: await viewBatches(sources, page.items), next: page.next });
  });

  app.get('/:id', async (c) => {
    const id = readId(c, 'batch');
    const batch = await reads.batch(id);
    if (batch === null) throw unknown('batch', id);
    return c.json(await viewBatch(sources, batch));
  });

  app.post('/:id/cancel', async (c) => {
    const id = readId(c, 'batch');
    const { now } = await readObject(c, cancelBody);
    return answer(c, { sources, id }, await actions.cancelBatch(id, { now, actor }));
  });

  app.post('/:id/resume', async (c) => {
    const id = readId(c, 'batch');
    const { force } = await readObject(c, resumeBody);
    return answer(c, { sources, id }, await actions.resumeBatch(id, { force, actor }));
  });

  app.post('/:id/hold', async (c) => {
    const id = readId(c, 'batch');
    const { reason = null } = await readObject(c, reasonBody);
    return answer(c, { sources, id }, await actions.holdBatch(id, { reason, actor }));
  });

  app.post('/:id/release', async (c) => {
    const id = readId(c, 'batch');
    await readObject(c, nothing);
    return answer(c, { sources, id }, await actions.releaseBatch(id, { actor }));
  });

  return app;
}

async function answer(c: Context, { sources, id }: { sources: Sources; id: string }, asked: BatchResult) {
  if (asked.result === 'not_found') throw unknown('batch', id);
  if (asked.result === 'conflict') throw conflict(asked);
  return c.json(await viewBatch(sources, asked.batch), 202);
}
