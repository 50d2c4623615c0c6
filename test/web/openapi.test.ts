/** The app's description of itself: it names every route that there is, and nothing else. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { batchDocumentJsonSchema } from '../../src/core/documents/index.ts';
import { violationsOf } from '../support/rest-check.ts';
import { makeTask, startFakeApp } from './fake-app.ts';

type Json = Record<string, unknown>;
interface Document {
  openapi: string;
  paths: Record<string, Record<string, { parameters?: { name: string; in: string; schema: Json }[]; responses: Json }>>;
  components: { schemas: Record<string, Json> };
}

let app: Awaited<ReturnType<typeof startFakeApp>>;
beforeEach(async () => {
  app = await startFakeApp();
});
afterEach(() => app.close());

const served = async () => (await (await app.call('GET', '/api/v1/openapi.json')).json()) as Document;

describe('the OpenAPI document', () => {
  it('describes every route of the app, and no other', async () => {
    const { paths } = await served();
    const described = Object.entries(paths).flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
    );
    // Middleware is there for all methods.
    const routes = app.routes.filter(({ method }) => method !== 'ALL');
    const there = new Set(routes.map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`));
    expect(described.toSorted()).toEqual([...there].toSorted());
  });

  it('needs the same access as every read', async () => {
    expect((await fetch(`${app.url}/api/v1/openapi.json`)).status).toBe(401);
  });

  it('takes the batch document by the same schema as the command line shows', async () => {
    const { batch_document: schema } = (await served()).components.schemas;
    const { $schema: _, ...expected } = batchDocumentJsonSchema();
    expect(schema).toEqual(expected);
  });

  it('names what queries take', async () => {
    const { parameters } = (await served()).paths['/api/v1/tasks']?.get ?? {};
    expect(parameters?.map(({ name }) => name)).toEqual(['repository', 'issue', 'state', 'cursor', 'limit']);
    expect(parameters?.find(({ name }) => name === 'state')?.schema).toMatchObject({
      enum: expect.arrayContaining(['blocked']),
    });
  });

  it('refers to nothing that is not in it, and has no schema that is not used', async () => {
    const document = await served();
    const refs = new Set(JSON.stringify(document).match(/"#\/components\/schemas\/\w+"/g));
    const names = Object.keys(document.components.schemas).map((name) => `"#/components/schemas/${name}"`);
    expect([...refs].toSorted()).toEqual(names.toSorted());
    expect(document.openapi).toBe('3.1.0');
  });
});

describe('an answer held against the document', () => {
  const seen = { method: 'GET', path: '/api/v1/tasks/task_1', status: 200, contentType: 'application/json' };
  const body = async () => {
    app.world.tasks = [makeTask()];
    return (await (await app.call('GET', '/api/v1/tasks/task_1')).json()) as Json;
  };

  it('passes as the app gives it', async () => {
    expect(violationsOf({ ...seen, body: await body() })).toEqual([]);
  });

  it('fails with another status, another type, a key more, a key less, or a word that is none', async () => {
    const good = await body();
    const { waiting_on: _, ...less } = good;
    expect(violationsOf({ ...seen, status: 204, body: null })).toEqual(['status 204 is not declared']);
    expect(violationsOf({ ...seen, contentType: 'text/plain', body: '' })).toEqual([
      'the type text/plain is not declared',
    ]);
    expect(violationsOf({ ...seen, body: { ...good, secret: 1 } })).not.toEqual([]);
    expect(violationsOf({ ...seen, body: less })).not.toEqual([]);
    expect(violationsOf({ ...seen, body: { ...good, state: 'gone' } })).not.toEqual([]);
    expect(violationsOf({ ...seen, path: '/api/v1/nothing', body: good })).not.toEqual([]);
  });
});
