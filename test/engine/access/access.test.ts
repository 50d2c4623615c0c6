/** What becomes of a repository's tasks when the App is taken from it, suspended on it, or it is archived, renamed or moved. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { accessWrites, followAccess } from '../../../src/engine/access/index.ts';
import { type Access, type Deps, GitHubError, type Hint } from '../../../src/engine/index.ts';
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
    await follow(UNINSTALLED, 11 * MINUTE_MS);
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
    await expect(follow(new GitHubError('retryable', 'no answer'), 11 * MINUTE_MS)).rejects.toThrow('no answer');
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

  it('may be killed between two tasks: the next look ends the rest, and none twice', async () => {
    const ids = [await running(), await ready()];
    await follow(UNINSTALLED);
    const { store } = embedded.deps;
    let commits = 0;
    const dying = {
      ...store,
      commit: (...given: Parameters<typeof store.commit>) => {
        commits += 1;
        return commits > 1 ? Promise.reject(new Error('killed')) : store.commit(...given);
      },
    };
    told = UNINSTALLED;
    await expect(followAccess({ ...later(11 * MINUTE_MS), store: dying }, REPOSITORY.id)).rejects.toThrow('killed');
    await follow(UNINSTALLED, 11 * MINUTE_MS);
    for (const id of ids) await untilTask(embedded, id, { state: 'cancelled', cause: 'app_uninstalled' });
    const events = await store.queries.events(null, 10_000);
    expect(events.filter(({ type }) => type === 'TASK_CANCELLED' || type === 'TASK_ENDED').length).toBeLessThanOrEqual(
      2,
    );
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

  it('about what is not known here asks for nothing, and believes no name', async () => {
    const unknown = { id: '99', fullName: 'acme/widgets', installationId: 6 };
    expect(await keysFor(hint('repository.renamed', { repositories: [unknown] }))).toBeUndefined();
    expect(await keysFor(hint('installation.deleted', { installationId: 6 }))).toBeUndefined();
    expect(await embedded.deps.store.repositoryByName('acme/widgets')).toMatchObject({ id: REPOSITORY.id });
  });
});
