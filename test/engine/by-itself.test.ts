/** The engine as others embed it: without Probot, Prisma or a web server, and with or without GitHub. */
import { readFile } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  applyChanges,
  checkAllActive,
  checkTask,
  type ExternalStateChange,
  GitHubError,
  submitBatch,
} from '../../src/engine/index.ts';
import { type Checker, makeChecker } from '../fixtures/engine/checker.ts';
import {
  documentOf,
  type Embedded,
  embed,
  REPOSITORY,
  submit,
  untilRunning,
  untilTask,
} from '../fixtures/engine/embedded.ts';
import { makePackage, type Package } from '../fixtures/engine/package.ts';
import { findByWord, waitUntilGone } from '../support/processes.ts';

describe('the package, imported by another program', () => {
  const FORBIDDEN = /\/node_modules\/(probot|@prisma|@octokit|hono|@hono|pg|better-sqlite3)\//;
  let standdown: Package;

  beforeAll(async () => {
    standdown = await makePackage();
  });
  afterAll(() => standdown?.remove());

  it('loads nothing of Probot, Prisma, Octokit, a web server or a database', async () => {
    const imports = ['engine', 'memory-store', 'process-runner'].map((name) => `import 'standdown/${name}';\n`);
    const { modules } = await standdown.run(imports.join(''));
    expect(modules).toContain(`${standdown.url}dist/engine/index.js`);
    expect(modules).toContain(`${standdown.url}dist/store/memory/index.js`);
    expect(modules).toContain(`${standdown.url}dist/runners/process/index.js`);
    expect(modules.filter((url) => FORBIDDEN.test(url))).toEqual([]);
  });

  it('would be seen to load them', async () => {
    const { modules } = await standdown.run("import 'pg';\nimport 'hono';\n");
    for (const name of ['pg', 'pg-pool', 'hono']) expect(modules.join('\n')).toContain(`/node_modules/${name}/`);
    expect(modules.filter((url) => FORBIDDEN.test(url))).not.toEqual([]);
  });

  it('runs the program of the documentation, which prints what is promised there', async () => {
    const page = await readFile(new URL('../../docs/engine.md', import.meta.url), 'utf8');
    const [program, output] = ['ts', 'text'].map((language) => blockOf(page, language));
    const { stdout, modules } = await standdown.run(program!);
    expect(stdout.replace(/ +$/gm, '')).toBe(output);
    expect(modules.filter((url) => FORBIDDEN.test(url))).toEqual([]);
  });
});

function blockOf(page: string, language: string): string {
  const [, block] = new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'ms').exec(page) ?? [];
  if (block === undefined) throw new Error(`the page has no ${language} block`);
  return block;
}

function change(taskId: string, kind: ExternalStateChange['kind'], issue: number | null = null): ExternalStateChange {
  const ref = issue === null ? null : { repositoryId: REPOSITORY.id, number: issue };
  return { taskId, kind, source: 'manual', actor: 'ann', issue: ref };
}

describe('without GitHub', () => {
  let embedded: Embedded;

  beforeEach(async () => {
    embedded = await embed(null);
    await embedded.deps.store.commit([{ write: 'repository.put', repository: REPOSITORY }]);
    await embedded.start();
  });
  afterEach(() => embedded.close());

  it('a batch runs to its end', async () => {
    const [good, bad] = await submit(embedded, { good: { run: ['true'] }, bad: { run: ['false'] } });
    await untilTask(embedded, good!, { state: 'done', cause: 'run_succeeded' });
    await untilTask(embedded, bad!, { state: 'failed', cause: 'run_failed' });
  });

  it('a batch for a repository that nobody registered is refused', async () => {
    const document = { ...documentOf({ a: { run: ['true'] } }), repository: 'acme/gadgets' };
    const submitted = await submitBatch(embedded.deps, document, { dryRun: false, actor: 'ann' });
    const message = 'acme/gadgets is not known: GitHub is not connected to look for it';
    expect(submitted).toEqual({ result: 'invalid', problems: [{ path: 'repository', message }] });
    expect((await embedded.deps.store.queries.batches({ limit: 9 })).items).toEqual([]);
  });

  it('a task with an issue runs on the caller’s word alone', async () => {
    const [id] = await submit(embedded, { a: { run: ['true'], issue: 12 } });
    await untilTask(embedded, id!, { state: 'done' });
  });

  it('a manual close stops the process and says who did it, and a bad change beside it is an error of its own', async () => {
    const { deps, marker, long } = embedded;
    const [one, other] = await submit(embedded, { one: { run: long, issue: 12 }, other: { run: long } });
    await untilRunning(embedded, one!);
    await untilRunning(embedded, other!);
    expect(findByWord(marker)).not.toEqual([]);
    const result = await applyChanges(deps, [
      change('task_unknown', 'closed'),
      change(one!, 'closed', 12),
      change(other!, 'completed'),
    ]);
    expect(result).toMatchObject({ changesDetected: 3, tasksSkipped: 2, tasksRequeued: 0 });
    expect(result.errors).toMatchObject([{ taskId: 'task_unknown', code: 'not_found' }]);
    await waitUntilGone(marker);
    await untilTask(embedded, one!, { state: 'cancelled', cause: 'api', actor: 'ann' });
    await untilTask(embedded, other!, { state: 'done', cause: 'api', actor: 'ann' });
    const [run] = (await deps.store.queries.runsOfTasks([one!])).get(one!)!;
    expect(run).toMatchObject({ state: 'cancelled', survivors: [] });
    expect(run!.goneAt).not.toBeNull();
  });

  it('a manual reopening queues the task again, once', async () => {
    const { deps, long } = embedded;
    const [id] = await submit(embedded, { a: { run: long } });
    await untilRunning(embedded, id!);
    await applyChanges(deps, [change(id!, 'closed')]);
    await untilTask(embedded, id!, { state: 'cancelled' });
    expect(await applyChanges(deps, [change(id!, 'reopened')])).toMatchObject({ tasksRequeued: 1, errors: [] });
    await untilRunning(embedded, id!, 2);
    const again = await applyChanges(deps, [change(id!, 'reopened')]);
    expect(again).toMatchObject({ tasksRequeued: 0, errors: [{ taskId: id, code: 'conflict' }] });
    expect((await deps.store.task(id!))?.runNumber).toBe(2);
  });
});

describe('with a checker of one’s own', () => {
  let checker: Checker;
  let embedded: Embedded;

  beforeEach(async () => {
    checker = makeChecker();
    for (const number of [1, 2, 3, 4]) checker.set(number, { state: 'open' });
    embedded = await embed(checker);
  });
  afterEach(() => embedded.close());

  /** Everything that applying changes could change. */
  async function everything() {
    const { queries } = embedded.deps.store;
    const { items } = await queries.tasks({ limit: 99 });
    const runs = await queries.runsOfTasks(items.map(({ id }) => id));
    return { tasks: items, runs, events: await queries.events(null, 999), backlog: await queries.backlog() };
  }

  it('finds what changed, keeps one issue’s error from the others, and acts once', async () => {
    const { deps } = embedded;
    const run = ['true'];
    const [dropped, finished, unknown, open] = await submit(embedded, {
      dropped: { run, issue: 1 },
      finished: { run, issue: 2 },
      unknown: { run, issue: 3 },
      open: { run, issue: 4 },
    });
    checker.set(1, { state: 'closed', reason: 'not_planned' });
    checker.set(2, { state: 'closed', reason: 'completed' });
    checker.set(3, { state: 'closed', reason: 'completed' });
    checker.silence(3);

    const checked = await checkAllActive(deps);
    expect(checked.changes.map(({ taskId, kind, source }) => [taskId, kind, source])).toEqual([
      [dropped, 'closed', 'github'],
      [finished, 'completed', 'github'],
    ]);
    expect(checked.errors).toMatchObject([{ issue: { repositoryId: '7', number: 3 }, code: 'retryable' }]);
    await expect(checkTask(deps, unknown!)).rejects.toBeInstanceOf(GitHubError);
    expect(await checkTask(deps, open!)).toEqual([]);

    const result = await applyChanges(deps, checked.changes);
    expect(result).toEqual({ changesDetected: 2, tasksSkipped: 2, tasksRequeued: 0, errors: [] });
    const task = (id: string | undefined) => deps.store.task(id!);
    expect(await task(dropped)).toMatchObject({ state: 'cancelled', cause: 'issue_not_planned', actor: 'ann' });
    expect(await task(finished)).toMatchObject({ state: 'done', cause: 'issue_completed', actor: 'ann' });
    expect(await task(unknown)).toMatchObject({ state: 'ready' });
    expect(await task(open)).toMatchObject({ state: 'ready' });

    const before = await everything();
    expect(await applyChanges(deps, checked.changes)).toEqual({ ...result, tasksSkipped: 0 });
    expect(await everything()).toEqual(before);
    expect((await checkAllActive(deps)).changes).toEqual([]);
  });

  it('brings back what a close ended when its issue is open again', async () => {
    const { deps } = embedded;
    const [id] = await submit(embedded, { a: { run: ['true'], issue: 1 } });
    checker.set(1, { state: 'closed', reason: 'not_planned' });
    await applyChanges(deps, await checkTask(deps, id!));
    checker.set(1, { state: 'open' });
    const changes = await checkTask(deps, id!);
    expect(changes).toMatchObject([{ taskId: id, kind: 'reopened', source: 'github' }]);
    expect(await applyChanges(deps, changes)).toMatchObject({ tasksSkipped: 0, tasksRequeued: 1, errors: [] });
    expect(await deps.store.task(id!)).toMatchObject({ state: 'ready', generation: 2 });
    const before = await everything();
    expect(await applyChanges(deps, changes)).toMatchObject({ tasksSkipped: 0, tasksRequeued: 0, errors: [] });
    expect(await everything()).toEqual(before);
  });

  it('stops a running process without any loop of the engine', async () => {
    const { deps, marker, long } = embedded;
    const engine = await embedded.start();
    const [id] = await submit(embedded, { a: { run: long, issue: 1 } });
    await untilRunning(embedded, id!);
    await engine.stop();
    checker.set(1, { state: 'closed', reason: 'completed' });
    const { changes } = await checkAllActive(deps);
    expect(await applyChanges(deps, changes)).toMatchObject({ changesDetected: 1, tasksSkipped: 1, errors: [] });
    await waitUntilGone(marker);
    // The runner's word that it is gone is heard by whoever looks next.
    await applyChanges(deps, changes);
    expect(await deps.store.task(id!)).toMatchObject({ state: 'done', cause: 'issue_completed', actor: 'ann' });
  });
});
