/**
 * Walks of `kill -9`: the app dies before and after every step of a scenario, is started again, and the world must be as if
 * nothing had happened. One world per test file; each walk's cases have an issue, a batch and a marker of their own.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect } from 'vitest';
import { type StandInGitHub, startStandInGitHub } from '../../src/demo/github/index.ts';
import { type AppProcess, bundleApp, startAppProcess } from './app-process.ts';
import {
  type Backlog,
  type BatchView,
  type Case,
  type CaseDocument,
  type JournalView,
  ONE_LONG_TASK,
  type TaskView,
} from './crash-case.ts';
import { makeMigratedDatabase, type TestDatabase } from './databases.ts';
import { expectNoViolations, makeOpenApiCheck } from './openapi/index.ts';
import { API_TOKEN, operatorFile, REPOSITORY } from './world.ts';

/** Keys that come again by themselves: the looks at the runners, at what nobody wants alive there, and at what is old. */
const ALWAYS_THERE = 3;

/** Far more than any scenario has: a walk that does not come to its end is a fault. */
const MAX_STEPS = 150;
const WAIT = { timeout: 40_000, interval: 20 };

/** Registers the world's set-up and tear-down in the calling test file, and gives the parts that walks are made of. */
export function useCrashWalk() {
  let dir: string;
  let database: TestDatabase;
  let bundle: string;
  let github: StandInGitHub;
  let app: AppProcess;
  let env: Record<string, string>;
  let nextIssue = 1;
  let lastDeath = '';
  const journal: JournalView[] = [];

  beforeAll(async () => {
    // Below the project, so that the bundle finds its dependencies.
    dir = await mkdtemp(join(fileURLToPath(new URL('../..', import.meta.url)), 'node_modules/.crash-'));
    bundle = await bundleApp(join(dir, 'bundle'));
    github = await startStandInGitHub({ check: makeOpenApiCheck() });
    // Each start reads every issue anew: what a restart costs GitHub is not what is walked here.
    github.rateLimit.setLimit(1_000_000);
    github.addRepository(REPOSITORY);
    github.addUser('ann');
    github.setPermission(REPOSITORY, 'ann', 'write');
    await writeFile(join(dir, 'standdown.yml'), operatorFile());
    database = await makeMigratedDatabase();
    env = {
      APP_ID: String(github.appId),
      PRIVATE_KEY: github.privateKey,
      WEBHOOK_SECRET: github.webhookSecret,
      GHE_HOST: github.host,
      GHE_PROTOCOL: 'http',
      HOST: '127.0.0.1',
      PORT: '0',
      DATABASE_URL: database.databaseUrl,
      STANDDOWN_DATA_DIR: join(dir, 'data'),
      STANDDOWN_CONFIG: join(dir, 'standdown.yml'),
      STANDDOWN_API_TOKEN: API_TOKEN,
      RECONCILIATION_INTERVAL_SECONDS: '0',
    };
    await start();
  }, 120_000);

  afterAll(async () => {
    await app?.kill();
    await github?.close();
    expectNoViolations(github);
    await rm(dir, { recursive: true, force: true });
    await database?.remove();
  });

  async function start(): Promise<void> {
    app = await startAppProcess(bundle, env);
    github.webhooks.to(`${app.url}/api/github/webhooks`);
  }

  async function call(method: 'GET' | 'POST', path: string, body?: object): Promise<Response> {
    const headers = { authorization: `Bearer ${API_TOKEN}`, 'content-type': 'application/json' };
    return fetch(`${app.url}/api/v1${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  }

  async function get(path: string): Promise<unknown> {
    return (await call('GET', path)).json();
  }

  /** Asks for it; null where the app died under the request. */
  async function post(path: string, body?: object): Promise<Response | null> {
    return call('POST', path, body).catch(() => null);
  }

  /** A new issue with a new batch. */
  async function submitCase(documentOf: CaseDocument = ONE_LONG_TASK): Promise<Case> {
    return submitOn(addIssue(), documentOf);
  }

  /** The same, but the issue waits for another new one. */
  async function submitBlockedCase(): Promise<Case & { blocker: number }> {
    const [blocker, issue] = [addIssue(), addIssue()];
    github.issue(REPOSITORY, issue).blockBy({ by: 'ann', number: blocker });
    return { ...(await submitOn(issue, ONE_LONG_TASK)), blocker };
  }

  function addIssue(): number {
    const number = nextIssue++;
    github.addIssue(REPOSITORY, { number, title: `Case ${number}`, by: 'ann' });
    return number;
  }

  async function submitOn(issue: number, documentOf: CaseDocument): Promise<Case> {
    const marker = `crash-walk-${process.pid}-${issue}`;
    const { tasks, ...more } = documentOf({ issue, marker });
    const entries = Object.entries(tasks).map(([key, task]) => [key, { runs_on: 'local', ...task }]);
    const document = { repository: REPOSITORY, name: `case-${issue}`, ...more, tasks: Object.fromEntries(entries) };
    const caseOf = ({ id, tasks: [first] }: BatchView) => ({ issue, marker, batchId: id, taskId: first?.id ?? '' });
    const response = await post('/batches', document);
    if (response?.status === 201) return caseOf((await response.json()) as BatchView);
    // It died under the request: what was written was written whole, and what was not is submitted again.
    if (!app.alive() || response === null) await restart();
    const known = (await get(`/tasks?repository=${REPOSITORY}&issue=${issue}`)) as { items: { batch_id: string }[] };
    const again = known.items[0]?.batch_id;
    if (again !== undefined) return caseOf((await get(`/batches/${again}`)) as BatchView);
    return caseOf((await (await call('POST', '/batches', document)).json()) as BatchView);
  }

  /** Says it of the case's batch under an app that dies at `step`. What was not kept is said again, as a person would. */
  async function dieDuringOrder(step: number, it: Case, { path, body }: { path: string; body?: object }) {
    const say = () => post(`/batches/${it.batchId}/${path}`, body);
    const carriedOut = async () => {
      const { state, order } = await batchOf(it);
      return state !== 'running' && order === null;
    };
    let answer: Response | null = null;
    const saying = async () => {
      answer = await say();
    };
    const died = await dieDuring(step, saying, carriedOut);
    if (answer === null) await say();
    return died;
  }

  async function restart(): Promise<void> {
    await app.kill();
    await start();
  }

  const batchOf = (it: Case) => get(`/batches/${it.batchId}`) as Promise<BatchView>;

  async function untilBatch(it: Case, wanted: object): Promise<BatchView> {
    const reached = expect.poll(() => batchOf(it).catch(() => null), WAIT).toMatchObject(wanted);
    await reached.catch((error: unknown) => explain(it, error));
    return batchOf(it);
  }

  const taskOf = (it: Case) => get(`/tasks/${it.taskId}`) as Promise<TaskView>;

  async function untilTask(it: Case, wanted: object): Promise<void> {
    const reached = expect.poll(() => taskOf(it).catch(() => null), WAIT).toMatchObject(wanted);
    await reached.catch((error: unknown) => explain(it, error));
  }

  /** What is needed to understand a failure of one walk in hundreds. */
  async function explain(it: Case, error: unknown): Promise<never> {
    const [batch, ready] = [await batchOf(it), await (await fetch(`${app.url}/readyz`)).json()];
    const events = (await eventsOf(it)).map(({ type, at, data }) => JSON.stringify({ type, at, data }));
    const facts = JSON.stringify({ batch, ready }, null, 1);
    throw new Error(`${lastDeath}\n${facts}\n${events.join('\n')}`, { cause: error });
  }

  async function untilRunning(it: Case, number: number): Promise<void> {
    const newest = async () => (await taskOf(it).catch(() => null))?.runs.at(-1);
    const reached = expect.poll(newest, WAIT).toMatchObject({ number, state: 'running' });
    await reached.catch((error: unknown) => explain(it, error));
  }

  /** Nothing is owed, pending or to be looked at any more, or the app is dead. */
  async function untilQuiet(): Promise<void> {
    await expect.poll(async () => !app.alive() || (await isQuiet().catch(() => false)), WAIT).toBe(true);
  }

  async function isQuiet(): Promise<boolean> {
    const { backlog } = (await (await fetch(`${app.url}/readyz`)).json()) as { backlog: Backlog | null };
    // One key is always there: that of the next look at the runners.
    return backlog !== null && backlog.deliveries === 0 && backlog.messages === 0 && backlog.keys <= ALWAYS_THERE;
  }

  /** Carries `act` out under an app that dies at `step`; true if it came so far. */
  async function dieDuring(step: number, act: () => Promise<unknown>, done: () => Promise<boolean>): Promise<boolean> {
    const first = app;
    await first.dieAt(step);
    await act();
    await expect.poll(async () => !first.alive() || (await done().catch(() => false)), WAIT).toBe(true);
    await untilQuiet();
    const died = !(await first.disarm());
    lastDeath = `died at step ${step}, ${first.diedAt()}`;
    if (died && app === first) await restart();
    return died;
  }

  /** Dies at step 1, 2, 3 … until the scenario ends without dying. Returns how many deaths there were. */
  async function walk(scenario: (step: number) => Promise<boolean>): Promise<number> {
    for (let step = 1; step <= MAX_STEPS; step++) {
      if (!(await scenario(step))) return step - 1;
    }
    throw new Error('the walk did not come to its end');
  }

  /** Everything that the journal says of the case's issue, batch and tasks. Each event is read once: a walk has thousands. */
  async function eventsOf(it: Case): Promise<JournalView[]> {
    for (let isWhole = false; !isWhole; ) {
      const last = journal.at(-1)?.id;
      const page = await get(`/events?limit=100${last === undefined ? '' : `&after=${last}`}`);
      const { items } = page as { items: JournalView[] };
      journal.push(...items);
      isWhole = items.length === 0;
    }
    return journal.filter((event) => event.batch_id === it.batchId || event.issue === it.issue);
  }

  async function countOf(it: Case, type: string): Promise<number> {
    return (await eventsOf(it)).filter((event) => event.type === type).length;
  }

  return {
    github: () => github,
    dir: () => dir,
    databaseUrl: () => database.databaseUrl,
    submitCase,
    submitBlockedCase,
    batchOf,
    untilBatch,
    taskOf,
    untilTask,
    untilRunning,
    untilQuiet,
    kill: () => app.kill(),
    start,
    dieDuring,
    dieDuringOrder,
    walk,
    countOf,
  };
}
