/** Every call of the web application. A test holds it against the routes that there are. */
import { VERBS, type Verb } from '../../core/command.ts';
import { attended, attendedNews } from '../schemas/attended.ts';
import { batch, batchSummary, plannedBatch } from '../schemas/batch.ts';
import { pageOf } from '../schemas/common.ts';
import { event } from '../schemas/event.ts';
import { explanation } from '../schemas/explanation.ts';
import { accepted, alive, delivered, openApi, ready, released } from '../schemas/health.ts';
import { holdBody, releaseBody, scopedHold } from '../schemas/hold.ts';
import { knownRepository } from '../schemas/repository.ts';
import {
  attendBody,
  attendedEndBody,
  batchesQuery,
  cancelBody,
  eventsQuery,
  linkBody,
  logQuery,
  newsQuery,
  nothing,
  reasonBody,
  repositoriesQuery,
  resumeBody,
  streamQuery,
  submitQuery,
  tasksQuery,
  VERB_BODIES,
} from '../schemas/requests.ts';
import { run } from '../schemas/run.ts';
import { task } from '../schemas/task.ts';
import type { Operation } from './operation.ts';

export const PAGES = {
  batches: pageOf(batchSummary),
  tasks: pageOf(task),
  events: pageOf(event),
  holds: pageOf(scopedHold),
  repositories: pageOf(knownRepository),
};

const aBatch = { schema: batch };
const aTask = { schema: task };

const VERB_SUMMARIES: Readonly<Record<Verb, string>> = {
  cancel: 'Stop it for good.',
  retry: 'Run it again.',
  done: 'Count it as done.',
  skip: 'Do without it.',
  hold: 'Start nothing of it until it is released.',
  release: 'Let a held or blocked task go on.',
  block: 'Keep it from starting until a question is answered.',
  answer: 'Answer its questions.',
};

const OF_BATCHES: readonly Operation[] = [
  {
    ...{ method: 'post', path: '/api/v1/batches', summary: 'Submit a batch document.', query: submitQuery },
    ...{ body: { document: true }, answers: { 200: { schema: plannedBatch }, 201: aBatch }, errors: [409, 422] },
  },
  {
    ...{ method: 'get', path: '/api/v1/batches', summary: 'Batches, newest first.', query: batchesQuery },
    answers: { 200: { schema: PAGES.batches } },
  },
  {
    ...{ method: 'get', path: '/api/v1/batches/{id}', summary: 'One batch with its tasks.' },
    ...{ answers: { 200: aBatch }, errors: [404] },
  },
  {
    method: 'post',
    path: '/api/v1/batches/{id}/cancel',
    summary: 'Start nothing more of it; with `now`, also stop what runs.',
    ...{ body: { schema: cancelBody }, answers: { 202: aBatch }, errors: [404, 409] },
  },
  {
    method: 'post',
    path: '/api/v1/batches/{id}/resume',
    summary: 'Run again what failed, is blocked or was interrupted; with `force`, also what was done.',
    ...{ body: { schema: resumeBody }, answers: { 202: aBatch }, errors: [404, 409] },
  },
  {
    method: 'post',
    path: '/api/v1/batches/{id}/hold',
    summary: 'Start nothing of it until it is released; what runs goes on.',
    ...{ body: { schema: reasonBody }, answers: { 202: aBatch }, errors: [404, 409] },
  },
  {
    ...{ method: 'post', path: '/api/v1/batches/{id}/release', summary: 'Let a held batch go on.' },
    ...{ body: { schema: nothing }, answers: { 202: aBatch }, errors: [404, 409] },
  },
];

const OF_TASKS: readonly Operation[] = [
  {
    ...{ method: 'get', path: '/api/v1/tasks', summary: 'Tasks, newest first.', query: tasksQuery },
    answers: { 200: { schema: PAGES.tasks } },
  },
  {
    ...{ method: 'get', path: '/api/v1/tasks/{id}', summary: 'One task with its runs.' },
    ...{ answers: { 200: aTask }, errors: [404] },
  },
  {
    ...{
      method: 'get',
      path: '/api/v1/tasks/{id}/log',
      summary: "The end of its newest run's output.",
      query: logQuery,
    },
    ...{ answers: { 200: { text: 'text/plain' } }, errors: [404] },
  },
  ...VERBS.map(
    (verb): Operation => ({
      ...{ method: 'post', path: `/api/v1/tasks/{id}/${verb}`, summary: VERB_SUMMARIES[verb] },
      ...{ body: { schema: VERB_BODIES[verb] }, answers: { 202: aTask }, errors: [404, 409] },
    }),
  ),
  {
    ...{ method: 'put', path: '/api/v1/tasks/{id}/issue', summary: 'Link it to an issue of its repository.' },
    ...{ body: { schema: linkBody }, answers: { 202: aTask }, errors: [404, 409] },
  },
  {
    ...{ method: 'delete', path: '/api/v1/tasks/{id}/issue', summary: 'Unlink it from its issue.' },
    ...{ answers: { 202: aTask }, errors: [404, 409] },
  },
];

const OF_ATTENDED: readonly Operation[] = [
  {
    ...{
      method: 'post',
      path: '/api/v1/tasks/{id}/attend',
      summary: 'Run it yourself, once its first news, within a minute, are `running`.',
    },
    ...{ body: { schema: attendBody }, answers: { 201: { schema: attended } }, errors: [404, 409] },
  },
  {
    method: 'get',
    path: '/api/v1/runs/{id}/attend',
    summary: 'What the command is to do now. Waits for news for a while; each question is a sign of life.',
    ...{ query: newsQuery, answers: { 200: { schema: attendedNews } }, errors: [404, 409] },
  },
  {
    ...{ method: 'post', path: '/api/v1/runs/{id}/attend/end', summary: 'Tell how the command ended.' },
    ...{ body: { schema: attendedEndBody }, answers: { 202: { schema: accepted } }, errors: [404, 409] },
  },
];

const OF_HOLDS: readonly Operation[] = [
  {
    ...{ method: 'get', path: '/api/v1/holds', summary: 'What is on hold, oldest first.', query: nothing },
    answers: { 200: { schema: PAGES.holds } },
  },
  {
    method: 'post',
    path: '/api/v1/holds',
    summary: 'Start nothing of a repository, of a runner or at all; what runs goes on.',
    ...{ body: { schema: holdBody }, answers: { 201: { schema: scopedHold } } },
  },
  {
    ...{ method: 'post', path: '/api/v1/holds/release', summary: 'Let what was held start again.' },
    ...{ body: { schema: releaseBody }, answers: { 200: { schema: released } }, errors: [404] },
  },
];

const OTHERS: readonly Operation[] = [
  {
    method: 'get',
    path: '/api/v1/issues/{owner}/{repo}/{number}/explain',
    summary: "Why an issue's tasks are where they are, and what a close or reopen would do to them now.",
    ...{ query: nothing, answers: { 200: { schema: explanation } }, errors: [404] },
  },
  {
    method: 'get',
    path: '/api/v1/repositories',
    summary: 'Repositories: whether each can be reached, and how old what is known of its issues is.',
    ...{ query: repositoriesQuery, answers: { 200: { schema: PAGES.repositories } } },
  },
  {
    ...{ method: 'get', path: '/api/v1/runs/{id}', summary: 'One run.' },
    ...{ answers: { 200: { schema: run } }, errors: [404] },
  },
  {
    ...{ method: 'get', path: '/api/v1/events', summary: 'The journal, oldest first.', query: eventsQuery },
    answers: { 200: { schema: PAGES.events } },
  },
  {
    ...{ method: 'get', path: '/api/v1/events/stream', summary: 'The journal, live.', query: streamQuery },
    answers: { 200: { text: 'text/event-stream' } },
  },
  {
    ...{ method: 'post', path: '/api/v1/sweep', summary: 'Compare every unfinished task with GitHub now.' },
    ...{ body: { schema: nothing }, answers: { 202: { schema: accepted } } },
  },
  {
    ...{ method: 'get', path: '/api/v1/openapi.json', summary: 'This document.', query: nothing },
    answers: { 200: { schema: openApi } },
  },
];

/** Outside the API: anybody may ask, or who is on this machine. */
const OUTSIDE: readonly Operation[] = [
  {
    ...{ method: 'get', path: '/healthz', summary: 'Whether the app lives.' },
    answers: { 200: { schema: alive }, 503: { schema: alive } },
  },
  {
    ...{ method: 'get', path: '/readyz', summary: 'Whether deliveries can be accepted and kept now.' },
    answers: { 200: { schema: ready }, 503: { schema: ready } },
  },
  {
    ...{ method: 'get', path: '/metrics', summary: 'Numbers for Prometheus.' },
    ...{ answers: { 200: { text: 'text/plain' } }, errors: [401, 403, 500] },
  },
  {
    ...{ method: 'post', path: '/api/github/webhooks', summary: 'Where GitHub delivers.' },
    answers: Object.fromEntries(
      [200, 202, 400, 401, 413, 415, 500, 503].map((status) => [status, { schema: delivered }]),
    ),
  },
];

export const OPERATIONS: readonly Operation[] = [
  ...OF_BATCHES,
  ...OF_TASKS,
  ...OF_ATTENDED,
  ...OF_HOLDS,
  ...OTHERS,
  ...OUTSIDE,
];
