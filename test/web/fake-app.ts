/** A web application on a real port, in front of a small world in memory. What it answers is held against its description. */
import type { Batch } from '../../src/core/batch.ts';
import type { ScopedHold } from '../../src/core/hold.ts';
import type { TrackedIssue } from '../../src/core/issue.ts';
import type { ShownBlocker } from '../../src/core/report/blockers.ts';
import type { Run } from '../../src/core/run.ts';
import type { Task } from '../../src/core/task.ts';
import type { AttendedNews } from '../../src/engine/attend/index.ts';
import type { ExplainResult } from '../../src/engine/explain.ts';
import { GitHubError, InvalidCursor, type JournalEvent, type RepositoryState } from '../../src/engine/ports.ts';
import { type Actions, type Insights, makeWebApp, type Reads, serveHttp, type WebDeps } from '../../src/web/index.ts';
import { checkAnswer } from '../support/rest-check.ts';

export const TOKEN = 'a-token-of-some-length';
const at = new Date('2026-01-02T03:04:05.678Z');
/** By the app's clock. */
const now = new Date('2026-01-02T03:05:05.999Z');
export const repository = { id: '7', fullName: 'acme/widgets', installationId: 1 };

/** What is known of it. */
export function makeState(changes: Partial<RepositoryState> = {}): RepositoryState {
  return {
    ...{ ...repository, commentsSince: null, issuesSince: null, issuesEtag: null, sweptAt: null, verifiedAt: null },
    ...{ sweepProblem: null, access: 'ok', accessSince: null },
    ...changes,
  };
}

export function makeBatch(changes: Partial<Batch> = {}): Batch {
  return {
    ...{
      id: 'batch_1',
      repositoryId: '7',
      name: 'nightly',
      strategy: 'parallel',
      maxParallel: 4,
      onFailure: 'continue',
    },
    ...{
      state: 'running',
      stuck: false,
      hold: null,
      order: null,
      issueNumber: null,
      createdAt: at,
      finishedAt: null,
      version: 1,
    },
    ...changes,
  };
}

export function makeTask(changes: Partial<Task> = {}): Task {
  return {
    ...{
      id: 'task_1',
      key: 'train',
      name: 'Train',
      batchId: 'batch_1',
      repositoryId: '7',
      issueNumber: 13,
      position: 0,
    },
    spec: {
      ...{
        runsOn: 'local',
        run: ['true'],
        env: { SECRET: 'hush' },
        envFrom: [],
        timeoutMinutes: null,
        stallMinutes: 0,
      },
      ...{ graceSeconds: null, retry: { attempts: 1, backoffSeconds: 0 }, workingDirectory: null },
    },
    ...{ needs: ['fetch'], priority: 0, state: 'running', cause: null, actor: null, target: null, blockers: [] },
    released: [],
    ...{ hold: { reason: 'wait', actor: 'ann', at }, generation: 1, attempt: 1, runNumber: 1, requeueReason: null },
    ...{
      endedByEpisodeId: null,
      exemptEpisodeId: null,
      reopenSeenEpisodeId: null,
      notBefore: null,
      notBeforeReason: null,
      notBeforeTold: false,
      createdAt: at,
      updatedAt: at,
      finishedAt: null,
    },
    version: 1,
    ...changes,
  } as Task;
}

export function makeRun(changes: Partial<Run> = {}): Run {
  return {
    ...{ id: 'run_1', taskId: 'task_1', number: 1, generation: 1, purpose: 'work', runner: 'local', state: 'running' },
    ...{ cause: null, reason: null, failureClass: null, exitCode: null, signal: null, containment: 'scan' },
    ...{ createdAt: at, startedAt: at, cancelRequestedAt: null, termAt: null, killAt: null, survivors: [] },
    ...{ endedAt: null, goneAt: null, branchBefore: null },
    ...changes,
  };
}

export function makeEvent(id: string, changes: Partial<JournalEvent> = {}): JournalEvent & { id: string } {
  const none = { issueNumber: null, batchId: null, taskId: null, runId: null };
  return { id, type: 'TASK_ENDED', at, repositoryId: '7', ...none, data: { to: 'done' }, ...changes };
}

export interface World {
  batches: Batch[];
  tasks: Task[];
  runs: Run[];
  events: (JournalEvent & { id: string })[];
  holds: ScopedHold[];
  repositories: RepositoryState[];
  issues: TrackedIssue[];
  /** What every task waits for. */
  waitingOn: string | null;
  blockers: ShownBlocker[];
  explained: ExplainResult;
  /** What the session of an attended run is told. */
  news: AttendedNews;
  /** How often issues were read. */
  issueReads: number;
  /** How often the tasks of a batch were read. */
  batchReads: number;
  /** Filters that lists were asked with. */
  asked: unknown[];
  /** What was done, in order. */
  acts: unknown[];
  webhooks: unknown[];
  ready: boolean;
  /** How often the journal was read. */
  looks: number;
}

export async function startFakeApp(changes: Partial<WebDeps> = {}, host = '127.0.0.1') {
  const world: World = {
    batches: [],
    tasks: [],
    runs: [],
    events: [],
    holds: [],
    repositories: [makeState()],
    issues: [],
    waitingOn: null,
    blockers: [],
    news: { state: 'running' },
    explained: { result: 'not_found', message: 'there is no issue acme/widgets#13' },
    issueReads: 0,
    batchReads: 0,
    asked: [],
    acts: [],
    webhooks: [],
    ready: true,
    looks: 0,
  };
  const closing = new AbortController();
  const logged: unknown[] = [];
  const log = (fields: object, message: string) => void logged.push({ ...fields, message });
  const app = makeWebApp({
    actions: makeActions(world),
    reads: makeReads(world),
    insights: makeInsights(world),
    clock: () => now,
    health: {
      live: () => true,
      sweepErrors: () => 3,
      ready: async () => ({ ok: world.ready, body: readiness(world.ready) }),
    },
    receiveWebhook: async (delivery) => {
      world.webhooks.push(delivery);
      return { status: 202, body: { message: 'stored' } };
    },
    apiToken: TOKEN,
    log: { debug: log, info: log, warn: log, error: log },
    closing: closing.signal,
    streamPollMs: 10,
    ...changes,
  });
  const server = await serveHttp({ app, host, port: 0 });
  const url = `http://127.0.0.1:${server.port}`;
  const close = () => {
    closing.abort();
    return server.close(1000);
  };
  async function call(
    method: string,
    path: string,
    options: { body?: unknown; headers?: Record<string, string> } = {},
  ) {
    const { body } = options;
    const type = body === undefined ? {} : { 'content-type': 'application/json' };
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { authorization: `Bearer ${TOKEN}`, ...type, ...options.headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const contentType = response.headers.get('content-type');
    const isJson = contentType?.startsWith('application/json') ?? false;
    const seen = isJson && method !== 'HEAD' ? await response.clone().json() : null;
    checkAnswer({ method, path, status: response.status, contentType, body: seen });
    return response;
  }
  return { world, url, server, logged, close, call, routes: app.routes };
}

function readiness(ok: boolean) {
  const runners = { local: { state: 'ok' } };
  return { status: ok ? 'ok' : 'unavailable', database: ok ? 'ok' : 'unavailable', github: 'ok', runners };
}

function makeInsights(world: World): Insights {
  const look = (tasks: readonly Task[]) =>
    new Map(tasks.map(({ id }) => [id, { waitingOn: world.waitingOn, blockers: world.blockers }] as const));
  return {
    lookAtTasks: async (tasks) => look(tasks),
    silentSince: () => null,
    lookAtPlanned: async (_batch, tasks) => look(tasks),
    explainIssue: async (name, number) => {
      world.asked.push({ explain: `${name}#${number}` });
      return world.explained;
    },
  };
}

function makeReads(world: World): Reads {
  const byId = <T extends { id: string }>(items: readonly T[], id: string) =>
    items.find((item) => item.id === id) ?? null;
  return {
    task: async (id) => byId(world.tasks, id),
    batch: async (id) => byId(world.batches, id),
    run: async (id) => byId(world.runs, id),
    tasksOfBatch: async (id) => {
      world.batchReads += 1;
      return world.tasks.filter((task) => task.batchId === id);
    },
    holds: async () => world.holds,
    issuesOf: async (repositoryId, numbers) => {
      world.issueReads += 1;
      return world.issues.filter((issue) => issue.repositoryId === repositoryId && numbers.includes(issue.number));
    },
    countMissed: async () => ({ missed: 4, recovered: 5, given_up: 6 }),
    repositoryByName: async (name) => (name === repository.fullName ? repository : null),
    liveRuns: async () =>
      world.runs.map(({ id, taskId, runner, state }) => {
        const { repositoryId, batchId } = makeTask();
        return { id, taskId, runner, state, repositoryId, batchId };
      }),
    queries: {
      batches: async (filter) => {
        world.asked.push(filter);
        return { items: world.batches, next: 'more' };
      },
      tasks: async (filter) => {
        world.asked.push(filter);
        return { items: world.tasks, next: null };
      },
      runsOfTasks: async (ids) =>
        new Map(ids.map((id) => [id, world.runs.filter((run) => run.taskId === id)] as const)),
      countsOfBatches: async (ids) =>
        new Map(
          ids.map((id) => {
            const tasks = world.tasks.filter((task) => task.batchId === id);
            return [id, tasks.map(({ state, cause }) => ({ state, cause, count: 1 }))] as const;
          }),
        ),
      repositories: async (ids) => new Map(ids.filter((id) => id === '7').map((id) => [id, repository] as const)),
      statesOfRepositories: async (ids) =>
        new Map(world.repositories.filter(({ id }) => ids.includes(id)).map((state) => [state.id, state] as const)),
      repositoryStates: async (filter) => {
        world.asked.push(filter);
        if (filter.cursor === 'none') throw new InvalidCursor('none');
        return { items: world.repositories, next: world.repositories.length > filter.limit ? 'more' : null };
      },
      events: async (after, limit) => {
        world.looks += 1;
        if (after === 'none') throw new InvalidCursor('none');
        const from = after === null ? 0 : world.events.findIndex((event) => event.id === after) + 1;
        return world.events.slice(from, from + limit);
      },
      newestEventId: async () => world.events.at(-1)?.id ?? null,
      backlog: async () => ({ deliveries: 1, messages: 2, keys: 3 }),
    },
  };
}

/** Task `task_1` and batch `batch_1` exist; everything on `…_busy` is a conflict; `boom` breaks, `dark` and `locked` need GitHub. */
function makeActions(world: World): Actions {
  const act = (id: string, what: object) => {
    world.acts.push({ id, ...what });
    if (id === 'boom') throw new Error('secret detail');
    if (id === 'dark') throw new GitHubError('retryable', 'GET /repos/acme/widgets: ENOTFOUND');
    if (id === 'locked') throw new GitHubError('lost_access', 'GET /user: 401 Bad credentials', { status: 401 });
    if (id === 'closed')
      return { result: 'conflict', message: '#13 is closed: reopen it first', code: 'issue_closed' } as const;
    if (id.endsWith('_busy')) return { result: 'conflict', message: 'it is stopping since 12:00' } as const;
    return id === 'task_1' ? ({ result: 'accepted', task: makeTask() } as const) : ({ result: 'not_found' } as const);
  };
  const order = (id: string, what: object) => {
    world.acts.push({ id, ...what });
    if (id.endsWith('_busy')) {
      return { result: 'conflict', message: 'another batch is running as batch_0', batchId: 'batch_0' } as const;
    }
    const batch = world.batches.find((one) => one.id === id);
    return batch === undefined ? ({ result: 'not_found' } as const) : ({ result: 'accepted', batch } as const);
  };
  const problem = { path: 'runner', message: 'must be the name of a runner; there is: local' };
  return {
    submitBatch: async (document, options) => {
      world.acts.push({ document, ...options });
      const { name } = document as { name?: string };
      if (name === 'busy')
        return { result: 'conflict', message: 'a batch of that name is running', batchId: 'batch_0' };
      if (name === undefined)
        return { result: 'invalid', problems: [{ path: 'tasks.a.run', message: 'must be better' }] };
      const made = { batch: makeBatch({ name }), tasks: [makeTask()], repository };
      return options.dryRun
        ? { result: 'planned', ...made, supersedes: name === 'stuck' ? 'batch_0' : null }
        : { result: 'created', ...made };
    },
    cancelBatch: async (id, input) => order(id, { cancel: input }),
    resumeBatch: async (id, input) => order(id, { resume: input }),
    holdBatch: async (id, input) => order(id, { hold: input }),
    releaseBatch: async (id, input) => order(id, { release: input }),
    setHold: async (request, input) => {
      world.acts.push({ request, ...input });
      if (request.scope === 'runner') return { result: 'unknown', problem };
      const scope =
        request.scope === 'all' ? ({ kind: 'all' } as const) : ({ kind: 'repository', repositoryId: '7' } as const);
      return { result: 'held', hold: { scope, ...input, at } };
    },
    releaseHold: async (request, input) => {
      world.acts.push({ request, ...input });
      if (request.scope === 'runner') return { result: 'unknown', problem };
      return { result: request.scope === 'all' ? 'released' : 'none' };
    },
    act: async (id, verb, input) => act(id, { verb, ...input }),
    link: async (id, issue, actor) => act(id, { link: issue, actor }),
    unlink: async (id, actor) => act(id, { unlink: true, actor }),
    attend: async (id, claim, ended) => {
      if (id === 'task_slow') {
        world.acts.push({ id });
        await new Promise((resolve) => ended.addEventListener('abort', resolve));
        world.acts.push('nobody listens');
        return { result: 'unavailable', message: 'late' };
      }
      const acted = act(id, claim);
      if (acted.result !== 'accepted') return acted;
      return { result: 'claimed', run: makeRun(), graceSeconds: 2.5, env: { STANDDOWN_RUN_ID: 'run_1' } };
    },
    followAttended: async ({ runId, session }, { waitMs }) => {
      world.acts.push({ id: runId, follow: session, waitMs });
      if (runId === 'run_busy') return { result: 'conflict', message: 'another session' };
      if (runId !== 'run_1') return { result: 'not_found' };
      return { result: 'news', news: world.news };
    },
    endAttended: async ({ runId, session }, end) => {
      world.acts.push({ id: runId, session, ...end });
      if (runId === 'run_busy') return { result: 'conflict', message: 'another session' };
      return runId === 'run_1' ? { result: 'accepted' } : { result: 'not_found' };
    },
    sweep: async () => void world.acts.push('sweep'),
    taskLog: async (id, bytes) => (id === 'task_1' ? `the last ${bytes} bytes` : null),
  };
}
