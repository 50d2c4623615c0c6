/** What becomes of a repository's tasks when the App is taken from it, suspended on it, or it is archived, renamed or moved. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { accessWrites, followAccess } from '../../../src/engine/access/index.ts';
import { act } from '../../../src/engine/act.ts';
import { type Access, type Deps, GitHubError, type Hint } from '../../../src/engine/index.ts';
import { reconcileIssue } from '../../../src/engine/reconcile-issue.ts';
import { whyNotRunning } from '../../../src/engine/why.ts';
import { type Embedded, embed, REPOSITORY, submit, untilRunning, untilTask } from '../../fixtures/engine/embedded.ts';
import { type Lister, makeLister } from '../../fixtures/engine/lister.ts';
import { eventually } from '../../support/processes.ts';

const HERE: Access = { access: 'ok', repository: REPOSITORY, archived: false };
const UNINSTALLED: Access = { access: 'gone', why: 'uninstalled' };
const MINUTE_MS = 60_000;

let github: Lister;
let embedded: Embedded;
let told: Access | Error;

beforeEach(async () => {
  github = makeLister();
  github.set(12, {});
  told = HERE;
  github.readAccess = async () => {
    if (told instanceof Error) throw told;
    return told;
  };
  embedded = await embed(github);
  await embedded.start();
});
afterEach(() => embedded.close());

/** As if so much time had gone by. */
const later = (ms: number): Deps => ({ ...embedded.deps, clock: () => new Date(Date.now() + ms) });
const follow = (answer: Access | Error, ms = 0) => {
  told = answer;
  return followAccess(later(ms), REPOSITORY.id);
};
/** As if the grace had gone by. */
const afterGrace = (answer: Access | Error, change: Partial<Deps> = {}) => {
  told = answer;
  return followAccess({ ...embedded.deps, goneGraceMs: 0, ...change }, REPOSITORY.id);
};
const stateOf = async () => (await embedded.deps.store.repositoryState(REPOSITORY.id))!;
const taskOf = async (id: string) => (await embedded.deps.store.task(id))!;
const changesOf = async () =>
  (await embedded.deps.store.queries.events(null, 10_000))
    .filter(({ type }) => type === 'REPOSITORY_ACCESS_CHANGED')
    .map(({ data }) => data.to);

async function running(): Promise<string> {
  const [id] = await submit(embedded, { train: { run: embedded.long, issue: 12 } });
  await untilRunning(embedded, id!);
  return id!;
}

/** One that would start at once, were it not for its repository. */
async function ready(): Promise<string> {
  const [id] = await submit(embedded, { next: { run: ['true'] } }, { name: 'next' });
  return id!;
}

describe('a repository that the App was taken from', () => {
  it('keeps what runs for ten minutes, and starts nothing meanwhile', async () => {
    const id = await running();
    await follow(UNINSTALLED);
    expect(await stateOf()).toMatchObject({ access: 'gone', accessSince: expect.any(Date) });
    const waiting = await ready();
    await follow(UNINSTALLED, 9 * MINUTE_MS);
    await eventually(async () => {
      const why = await whyNotRunning(embedded.deps, [await taskOf(waiting)]);
      expect(why.get(waiting)).toMatch(/^the App was taken from acme\/widgets/);
    });
    expect((await taskOf(waiting)).state).toBe('ready');
    expect((await taskOf(id)).state).toBe('running');
  });

  it('then ends what runs and what waits, for that cause, once GitHub has said the same again', async () => {
    const id = await running();
    await follow(UNINSTALLED);
    const waiting = await ready();
    await afterGrace(UNINSTALLED);
    for (const each of [id, waiting]) {
      await untilTask(embedded, each, { state: 'cancelled', cause: 'app_uninstalled', actor: 'github' });
    }
    const run = (await embedded.deps.store.newestRun(id))!;
    expect((await embedded.runner.inspect([run.id])).get(run.id)).toMatchObject({ state: 'exited' });
    expect(await changesOf()).toEqual(['gone']);
  });

  it('that comes back within them is as if nothing had been', async () => {
    const id = await running();
    await follow(UNINSTALLED);
    await follow(HERE, 9 * MINUTE_MS);
    expect(await stateOf()).toMatchObject({ access: 'ok', accessSince: null });
    await follow(UNINSTALLED, 11 * MINUTE_MS);
    // The grace begins anew.
    expect((await taskOf(id)).state).toBe('running');
    expect(await changesOf()).toEqual(['gone', 'ok', 'gone']);
  });

  it('is not ended by a GitHub that gives no answer once the grace is over', async () => {
    const id = await running();
    await follow(UNINSTALLED);
    await expect(afterGrace(new GitHubError('retryable', 'no answer'))).rejects.toThrow('no answer');
    expect((await taskOf(id)).state).toBe('running');
    expect(await stateOf()).toMatchObject({ access: 'gone' });
  });

  it('is looked at again when the grace is over, also by an app that was started in between', async () => {
    await follow(HERE);
    const id = await running();
    const { store } = embedded.deps;
    const enqueued: { key: string; dueAt: Date }[] = [];
    const queue = { ...store.queue, enqueue: async (keys: typeof enqueued) => void enqueued.push(...keys) };
    told = UNINSTALLED;
    await followAccess({ ...embedded.deps, store: { ...store, queue } as Deps['store'] }, REPOSITORY.id);
    const [look] = enqueued.filter(({ key }) => key === 'access:7');
    expect(look!.dueAt.getTime() - Date.now()).toBeGreaterThan(9 * MINUTE_MS);
    expect((await taskOf(id)).state).toBe('running');
  });

  it('may be killed before any task was looked at: the next look ends them all, and none twice', async () => {
    const ids = [await running(), await ready()];
    await follow(UNINSTALLED);
    const { store } = embedded.deps;
    const queue = { ...store.queue, enqueue: () => Promise.reject(new Error('killed')) };
    await expect(afterGrace(UNINSTALLED, { store: { ...store, queue } })).rejects.toThrow('killed');
    await afterGrace(UNINSTALLED);
    for (const id of ids) await untilTask(embedded, id, { state: 'cancelled', cause: 'app_uninstalled' });
    await afterGrace(UNINSTALLED);
    const events = await store.queries.events(null, 10_000);
    expect(events.filter(({ type }) => type === 'TASK_CANCELLED')).toHaveLength(2);
    expect(events.filter(({ type }) => type === 'REPOSITORY_GIVEN_UP')).toHaveLength(1);
  });

  it('ends a run that is to be tried again, and not only tries it no more', async () => {
    const [id] = await submit(embedded, { train: { run: ['false'], retry: { attempts: 3, backoff_seconds: 300 } } });
    await untilTask(embedded, id!, { state: 'ready', attempt: 1 });
    await follow(UNINSTALLED);
    await afterGrace(UNINSTALLED);
    await untilTask(embedded, id!, { state: 'cancelled', cause: 'app_uninstalled' });
  });

  it('ends what waits for other tasks for the same cause', async () => {
    const ids = await submit(embedded, {
      first: { run: embedded.long },
      second: { run: ['true'], needs: ['first'] },
      third: { run: ['true'], needs: ['second'] },
    });
    await untilRunning(embedded, ids[0]!);
    await follow(UNINSTALLED);
    await afterGrace(UNINSTALLED);
    for (const id of ids) await untilTask(embedded, id, { state: 'cancelled', cause: 'app_uninstalled' });
  });

  it('ends what is submitted for it later, too', async () => {
    embedded.deps.goneGraceMs = 0;
    await follow(HERE);
    await ready().then((id) => untilTask(embedded, id, { state: 'done' }));
    await follow(UNINSTALLED);
    await afterGrace(UNINSTALLED);
    const [id] = await submit(embedded, { late: { run: ['true'] } }, { name: 'late' });
    await untilTask(embedded, id!, { state: 'cancelled', cause: 'app_uninstalled' });
  });

  it('that comes back later keeps its history, and a retry works again', async () => {
    const id = await running();
    await follow(UNINSTALLED);
    await afterGrace(UNINSTALLED);
    await untilTask(embedded, id, { state: 'cancelled', cause: 'app_uninstalled' });
    await follow(HERE);
    await untilTask(embedded, id, { state: 'cancelled', cause: 'app_uninstalled' });
    expect(await act(embedded.deps, id, 'retry', { actor: 'ann', cause: 'api' })).toMatchObject({ result: 'accepted' });
    await untilRunning(embedded, id, 2);
  });

  it('is told how things stand when it comes back', async () => {
    const id = await running();
    await follow(UNINSTALLED);
    await afterGrace(UNINSTALLED);
    await untilTask(embedded, id, { state: 'cancelled' });
    const { store } = embedded.deps;
    const owed: string[] = [];
    const commit: typeof store.commit = (writes) => {
      owed.push(...writes.flatMap((write) => (write.write === 'outbox.owe' ? [write.item.key] : [])));
      return store.commit(writes);
    };
    told = HERE;
    await followAccess({ ...embedded.deps, store: { ...store, commit } }, REPOSITORY.id);
    expect(owed).toEqual(['status:7#12']);
  });
});

describe.each([
  ['suspended', { access: 'suspended', installationId: 1 }],
  ['archived', { ...HERE, archived: true }],
] as const)('a repository that is %s', (access, answer) => {
  it('keeps what runs however long, starts nothing, and goes on once it is not any more', async () => {
    const id = await running();
    await follow(answer);
    expect(await stateOf()).toMatchObject({ access });
    const waiting = await ready();
    await follow(answer, 60 * MINUTE_MS);
    await eventually(async () => {
      const why = await whyNotRunning(embedded.deps, [await taskOf(waiting)]);
      expect(why.get(waiting)).toContain(access);
    });
    expect((await taskOf(waiting)).runNumber).toBe(0);
    expect((await taskOf(id)).state).toBe('running');
    await follow(HERE);
    await untilTask(embedded, waiting, { state: 'done' });
    expect((await taskOf(id)).state).toBe('running');
  });
});

it.each([
  ['suspended', { access: 'suspended', installationId: 1 }],
  ['gone', UNINSTALLED],
] as const)(
  'a repository that is %s is asked for none of its issues, and for what is due once it is back',
  async (_access, answer) => {
    await running();
    await follow(answer);
    const { store } = embedded.deps;
    const ref = { repositoryId: REPOSITORY.id, number: 12 };
    const { version } = (await store.issue(ref))!;
    await store.commit([{ write: 'issue.update', ref, version, set: { readDue: true } }]);
    github.asked();
    await reconcileIssue(embedded.deps, ref);
    expect(github.asked()).toEqual([]);
    await follow(HERE);
    await eventually(async () => expect(await store.issue(ref)).toMatchObject({ readDue: false }));
  },
);

it('a repository that was renamed or moved is known by its id, under its new name and installation', async () => {
  const id = await running();
  const moved = { ...REPOSITORY, fullName: 'other/gadgets', installationId: 9 };
  await follow({ access: 'ok', repository: moved, archived: false });
  expect(await embedded.deps.store.repository(REPOSITORY.id)).toEqual(moved);
  expect((await taskOf(id)).state).toBe('running');
  await follow({ access: 'ok', repository: moved, archived: false });
  const events = await embedded.deps.store.queries.events(null, 10_000);
  expect(events.filter(({ type }) => type === 'REPOSITORY_MOVED')).toHaveLength(1);
});

describe('an event', () => {
  const hint = (action: string, change: Partial<Extract<Hint, { kind: 'access' }>> = {}) =>
    ({ kind: 'access', action, installationId: 5, repositories: [], ...change }) as Extract<Hint, { kind: 'access' }>;
  const keysFor = async (given: ReturnType<typeof hint>) =>
    (await accessWrites(embedded.deps, given))?.map((write) =>
      write.write === 'work.enqueue' ? write.key : write.write,
    );
  const other = { id: '8', fullName: 'acme/gadgets', installationId: 5 };

  beforeEach(async () => {
    for (const repository of [REPOSITORY, other]) {
      await embedded.deps.store.commit([{ write: 'repository.put', repository }]);
    }
  });

  it.each([
    ['installation.deleted', ['access:8']],
    ['installation.suspend', ['access:8']],
    ['installation.unsuspend', ['access:8', 'discover']],
    ['installation.created', ['access:8', 'discover']],
    ['installation.new_permissions_accepted', ['access:8', 'repository:8', 'verify:8', 'file:8']],
    ['installation_target.renamed', ['access:8']],
  ])('%s of an installation looks at its repositories', async (action, keys) => {
    expect(await keysFor(hint(action))).toEqual(keys);
  });

  it.each([
    ['installation_repositories.added', ['access:7', 'discover']],
    ['installation_repositories.removed', ['access:7']],
    ['repository.renamed', ['access:7']],
    ['repository.transferred', ['access:7', 'discover']],
    ['repository.archived', ['access:7']],
    ['repository.unarchived', ['access:7']],
    ['repository.privatized', ['access:7']],
    ['repository.publicized', ['access:7']],
    ['repository.deleted', ['access:7']],
  ])('%s looks at the repositories that it names', async (action, keys) => {
    expect(await keysFor(hint(action, { repositories: [REPOSITORY] }))).toEqual(keys);
  });

  it('of an installation looks at all of its repositories, and at those that it names', async () => {
    expect(await keysFor(hint('installation.deleted', { repositories: [REPOSITORY] }))).toEqual([
      'access:7',
      'access:8',
    ]);
  });

  it('about what is not known here asks for nothing, and believes no name', async () => {
    const unknown = { id: '99', fullName: 'acme/widgets', installationId: 6 };
    expect(await keysFor(hint('repository.renamed', { repositories: [unknown] }))).toBeUndefined();
    expect(await keysFor(hint('installation.deleted', { installationId: 6 }))).toBeUndefined();
    expect(await embedded.deps.store.repositoryByName('acme/widgets')).toMatchObject({ id: REPOSITORY.id });
  });
});
