/** The OpenAPI document, made from the schemas by which the app reads requests and shapes answers. */
import { z } from 'zod';
import { batchDocumentJsonSchema } from '../../core/documents/index.ts';
import { attended, attendedNews } from '../schemas/attended.ts';
import { batch, batchSummary, plannedBatch } from '../schemas/batch.ts';
import { blocker, issueBlocker } from '../schemas/blocker.ts';
import { error, problem } from '../schemas/error.ts';
import { event } from '../schemas/event.ts';
import { explanation } from '../schemas/explanation.ts';
import { accepted, alive, delivered, openApi, ready, released } from '../schemas/health.ts';
import { scopedHold } from '../schemas/hold.ts';
import { issueState } from '../schemas/issue-state.ts';
import { knownRepository, lookProblem } from '../schemas/repository.ts';
import { run } from '../schemas/run.ts';
import { task } from '../schemas/task.ts';
import type { Answer, Body, Operation } from './operation.ts';
import { OPERATIONS, PAGES } from './operations.ts';

type Json = Record<string, unknown>;

const COMPONENTS: Readonly<Record<string, z.ZodType>> = {
  batch,
  batch_summary: batchSummary,
  planned_batch: plannedBatch,
  task,
  run,
  attended,
  attended_news: attendedNews,
  event,
  hold: scopedHold,
  explanation,
  repository: knownRepository,
  issue_state: issueState,
  look_problem: lookProblem,
  blocker,
  issue_blocker: issueBlocker,
  error,
  problem,
  batch_page: PAGES.batches,
  task_page: PAGES.tasks,
  event_page: PAGES.events,
  hold_page: PAGES.holds,
  repository_page: PAGES.repositories,
  accepted,
  released,
  alive,
  ready,
  delivered,
  open_api: openApi,
};

const ROOT = '#/components/schemas/';

export function openApiDocument(): Json {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Standdown',
      version: '1',
      description: 'Batch tasks that are linked to GitHub issues, and stand down when these close.',
    },
    paths: paths(),
    components: {
      schemas: { ...answerSchemas(), batch_document: withoutDialect(batchDocumentJsonSchema()) },
      securitySchemes: { token: { type: 'http', scheme: 'bearer', description: 'STANDDOWN_API_TOKEN' } },
    },
  };
}

function answerSchemas(): Record<string, Json> {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(COMPONENTS)) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, { uri: (id) => `${ROOT}${id}`, override: withDescription });
  return Object.fromEntries(Object.entries(schemas).map(([id, schema]) => [id, withoutDialect(schema as Json)]));
}

/** With a registry of our own, what `describe` says is not looked for. */
function withDescription({ zodSchema, jsonSchema }: { zodSchema: z.core.$ZodType; jsonSchema: Json }): void {
  const { description } = z.globalRegistry.get(zodSchema) ?? {};
  if (description !== undefined) jsonSchema.description = description;
}

/** OpenAPI names the dialect once for all, and a component's place is its name. */
function withoutDialect({ $schema: _dialect, $id: _place, ...schema }: Json): Json {
  return schema;
}

function paths(): Record<string, Json> {
  const byPath: Record<string, Json> = {};
  for (const operation of OPERATIONS) {
    byPath[operation.path] = { ...byPath[operation.path], [operation.method]: describeOperation(operation) };
  }
  return byPath;
}

function describeOperation(operation: Operation): Json {
  const { summary, body, path } = operation;
  const parameters = [...pathParameters(path), ...queryParameters(operation)];
  return {
    summary,
    ...(isOfApi(path) ? { security: [{ token: [] }] } : {}),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: describeBody(body) }),
    responses: describeResponses(operation),
  };
}

function pathParameters(path: string): Json[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    ...{ name, in: 'path', required: true },
    schema: { type: name === 'number' ? 'integer' : 'string' },
  }));
}

function queryParameters({ query }: Operation): Json[] {
  if (query === undefined) return [];
  const { properties = {} } = z.toJSONSchema(query, { io: 'input' });
  return Object.entries(properties).map(([name, schema]) => ({ name, in: 'query', schema }));
}

function describeBody(body: Body): Json {
  if ('document' in body) {
    const content = { schema: { $ref: `${ROOT}batch_document` } };
    return { required: true, content: { 'application/json': content, 'application/yaml': content } };
  }
  const schema = withoutDialect(z.toJSONSchema(body.schema, { io: 'input' }));
  return { required: !body.schema.safeParse({}).success, content: { 'application/json': { schema } } };
}

function describeResponses(operation: Operation): Json {
  const errors: Record<number, Answer> = {};
  for (const status of errorsOf(operation)) errors[status] = { schema: error };
  const answers = Object.entries<Answer>({ ...errors, ...operation.answers });
  return Object.fromEntries(answers.map(([status, answer]) => [status, describeAnswer(Number(status), answer)]));
}

function describeAnswer(status: number, answer: Answer): Json {
  const description = DESCRIPTIONS[status] ?? '';
  if ('text' in answer) return { description, content: { [answer.text]: { schema: { type: 'string' } } } };
  const name = Object.keys(COMPONENTS).find((id) => COMPONENTS[id] === answer.schema);
  return { description, content: { 'application/json': { schema: { $ref: `${ROOT}${name}` } } } };
}

/** What any call may answer that reads a query or a body, and any call of the API. */
function errorsOf({ path, query, body, errors = [] }: Operation): number[] {
  return [
    ...errors,
    ...(query === undefined ? [] : [400]),
    ...(body === undefined ? [] : [400, 413, 415]),
    ...(isOfApi(path) ? [401, 403, 500, 503] : []),
  ];
}

function isOfApi(path: string): boolean {
  return path.startsWith('/api/v1/');
}

const DESCRIPTIONS: Readonly<Record<number, string>> = {
  200: 'As it is.',
  201: 'Made.',
  202: 'Accepted: it is kept, and being carried out.',
  400: 'The query or the body is not what this call takes.',
  401: 'The bearer token is missing or wrong.',
  403: 'Not from there, or not without a token.',
  404: 'There is nothing of that name.',
  409: 'Why not now.',
  413: 'The body is too large.',
  415: 'The body is of another type.',
  422: 'What is wrong with the document.',
  500: 'The request failed inside the app.',
  503: 'What it needs gave no answer, or no access: the message says what to do.',
};
