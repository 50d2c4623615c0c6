/** Who has turns, and what is found that no event told of. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseKey } from '../../../src/engine/keys.ts';
import type { Write } from '../../../src/engine/ports.ts';
import {
  dataAge,
  discover,
  makeSweeper,
  makeWatch,
  type Sweeper,
  sweepRepository,
} from '../../../src/engine/sweep/index.ts';
import { type Embedded, embed, REPOSITORY, submit, untilRunning, untilTask } from '../../fixtures/engine/embedded.ts';
import { type Lister, makeLister } from '../../fixtures/engine/lister.ts';
import { eventually } from '../../support/processes.ts';

const OTHER = { id: '8', fullName: 'acme/gadgets', installationId: 1 };
const HOUR_MS = 3_600_000;

let github: Lister;
let embedded: Embedded;
let sweeper: Sweeper;

beforeEach(async () => {
  github = makeLister();
  github.set(12, {});
  embedded = await embed(github);
  const made = makeSweeper(embedded.deps, 30_000, () => 0.5);
  if (made === null) throw new Error('this GitHub can not be swept');
  sweeper = made;
});
afterEach(() => embedded.close());

/** What is enqueued by the work, which is given a sweeper that far in the future. */
async function keysOf(work: (sweeper: Sweeper) => Promise<void>, laterMs = 0): Promise<Map<string, Date>> {
  const { store, clock } = embedded.deps;
  const enqueued = new Map<string, Date>();
  const queue = {
    ...store.queue,
    enqueue: async (keys: readonly { key: string; dueAt: Date }[]) => {
      for (const { key, dueAt } of keys) enqueued.set(key, dueAt);
    },
  };
  const deps = {
    ...embedded.deps,
    store: { ...store, queue },
    clock: () => new Date(clock().getTime() + laterMs),
  };
  await work({ ...sweeper, deps });
  return enqueued;
}

const linked = () => submit(embedded, { train: { run: ['true'], issue: 12 } });

describe('a watch', () => {
  it('gives a repository its turns once tasks hang on its issues, and asks GitHub nothing', async () => {
    expect(await keysOf((later) => makeWatch(later)())).toEqual(new Map());
    await linked();
    github.asked();
    const keys = await keysOf((later) => makeWatch(later)());
    expect([...keys.keys()]).toEqual(['repository:7', 'verify:7']);
    expect(keys.get('repository:7')!.getTime()).toBeLessThanOrEqual(Date.now());
    expect(github.asked()).toEqual([]);
  });

  it('leaves one that has its turns alone, and brings back the key of one that had none for long', async () => {
    await linked();
    await sweepRepository(sweeper, REPOSITORY.id);
    const verified = { verifiedAt: new Date() };
    await embedded.deps.store.commit([{ write: 'repository.state', repositoryId: REPOSITORY.id, set: verified }]);
    /** The first look of a watch is that of an app that was just started: what is told of are the later ones. */
    const onceMore = async (laterMs: number) => {
      const looks: Map<string, Date>[] = [];
      await keysOf(async (later) => {
        const watch = makeWatch(later);
        await watch();
        looks.push(
          await keysOf(async ({ deps: { store } }) => {
            Object.assign(later.deps, { store });
            await watch();
          }),
        );
      }, laterMs);
      return [...(looks[0]?.keys() ?? [])];
    };
    expect(await onceMore(5 * 60_000)).toEqual([]);
    expect(await onceMore(HOUR_MS)).toEqual(['repository:7']);
    expect(await onceMore(5 * HOUR_MS)).toEqual(['repository:7', 'verify:7']);
    // The clock was set back: by it the last turn is yet to come, and so is the next.
    expect(await onceMore(-HOUR_MS)).toEqual(['repository:7', 'verify:7']);
  });

  it('of a repository that is out of reach gives it none', async () => {
    await linked();
    const state = { access: 'gone', accessSince: new Date() } as const;
    await embedded.deps.store.commit([{ write: 'repository.state', repositoryId: REPOSITORY.id, set: state }]);
    expect(await keysOf((later) => makeWatch(later)())).toEqual(new Map());
    expect(await sweepRepository(sweeper, REPOSITORY.id)).toEqual({ changes: 0, problem: null, nextAt: null });
    expect(github.asked()).not.toContain('list');
  });
});

describe('the first listing of a repository', () => {
  /** In how many minutes a look at everything is due after it. */
  async function minutesToLook(verifiedAt: Date | null): Promise<number> {
    await linked();
    const { store } = embedded.deps;
    await store.commit([{ write: 'repository.state', repositoryId: REPOSITORY.id, set: { verifiedAt } }]);
    const due: Date[] = [];
    const commit = (writes: readonly Write[]) => {
      for (const write of writes) if (write.write === 'work.enqueue' && write.key === 'verify:7') due.push(write.dueAt);
      return store.commit(writes);
    };
    const deps = { ...embedded.deps, store: Object.assign(Object.create(store) as typeof store, { commit }) };
    await sweepRepository({ ...sweeper, deps }, REPOSITORY.id);
    expect(due).toHaveLength(1);
    // 0 also where it is -0.
    return Math.round((due[0]!.getTime() - Date.now()) / 60_000) + 0;
  }

  it('leaves what came before it to a look at everything', async () => {
    expect(await minutesToLook(null)).toBe(0);
  });

  it('wants it as usual where one was made just now', async () => {
    expect(await minutesToLook(new Date())).toBe(60);
  });

  it('wants it at once where the last one may miss what lies between', async () => {
    expect(await minutesToLook(new Date(Date.now() - 45_000))).toBe(0);
  });
});

describe('a search for repositories', () => {
  it('keeps those that no event told of, and lists their comments from then on', async () => {
    github.installedRepositories = async () => [OTHER];
    const keys = await keysOf((later) => discover(later));
    const { store } = embedded.deps;
    expect(await store.repository(OTHER.id)).toEqual(OTHER);
    expect(await store.commentsSince(OTHER.id)).toBeInstanceOf(Date);
    expect([...keys.keys()].map((key) => parseKey(key)?.kind)).toEqual(['repository']);
  });

  it('looks at what is on no list, and at what is on it again', async () => {
    const { store } = embedded.deps;
    const gone = { id: '9', fullName: 'acme/back', installationId: 1 };
    for (const repository of [OTHER, gone]) await store.commit([{ write: 'repository.put', repository }]);
    await store.commit([{ write: 'repository.state', repositoryId: gone.id, set: { access: 'suspended' } }]);
    github.installedRepositories = async () => [gone];
    const keys = await keysOf((later) => discover(later));
    expect([...keys.keys()].filter((key) => key.startsWith('access')).sort()).toEqual(['access:8', 'access:9']);
  });
});

describe('a search for repositories that were archived, suspended or lost', () => {
  const STATES = { '8': 'archived', '9': 'archived', '10': 'suspended', '11': 'gone', '12': 'ok' } as const;
  const refOf = (id: string) => ({ id, fullName: `acme/r${id}`, installationId: 1 });

  async function looksAt(deps: Partial<Sweeper['deps']> = {}): Promise<string[]> {
    const keys = await keysOf((later) => discover({ ...later, deps: { ...later.deps, ...deps } }));
    return [...keys.keys()].filter((key) => key.startsWith('access')).sort();
  }

  beforeEach(async () => {
    const { store } = embedded.deps;
    for (const [id, access] of Object.entries(STATES)) {
      await store.commit([{ write: 'repository.put', repository: refOf(id) }]);
      await store.commit([{ write: 'repository.state', repositoryId: id, set: { access, accessSince: new Date() } }]);
    }
  });

  it('looks where the list says otherwise of them than is known', async () => {
    github.installedRepositories = async () => [
      refOf('8'),
      { ...refOf('9'), archived: true },
      { ...REPOSITORY, archived: true },
    ];
    await linked();
    expect(await looksAt()).toEqual(['access:10', 'access:12', 'access:7', 'access:8']);
  });

  it('looks at none of the many that were archived long ago and hold no work', async () => {
    github.installedRepositories = async () => [{ ...refOf('12'), archived: true }];
    expect(await looksAt()).not.toContain('access:12');
  });

  it('looks at what is on no list unless it is known to be gone', async () => {
    expect(await looksAt()).toEqual(['access:10', 'access:12', 'access:8', 'access:9']);
  });

  it('looks at all where a token, which has no list, drives them', async () => {
    expect(await looksAt({ configuredRepository: 'acme/r11' })).toContain('access:11');
  });
});

describe('the age of what is known', () => {
  it('is that of the repository that was looked at longest ago, and a problem is named with its class and next try', async () => {
    expect(await dataAge(embedded.deps)).toEqual({
      ...{ repositories: 0, oldestAt: null, oldest: null, problems: [], outOfReach: [] },
    });
    await linked();
    expect(await dataAge(embedded.deps)).toMatchObject({ repositories: 1, oldestAt: null, oldest: 'acme/widgets' });
    await sweepRepository(sweeper, REPOSITORY.id);
    const { oldestAt } = await dataAge(embedded.deps);
    expect(oldestAt).toBeInstanceOf(Date);
    github.state.listingFails = new Error('a fault of ours');
    await sweepRepository(sweeper, REPOSITORY.id);
    expect(await dataAge(embedded.deps)).toMatchObject({
      oldestAt,
      problems: [{ repository: 'acme/widgets', code: 'internal', message: 'a fault of ours', failures: 1 }],
    });
  });

  it.each(['suspended', 'archived', 'gone'] as const)(
    'names a repository that is %s while something unfinished hangs on its issues',
    async (access) => {
      const accessSince = new Date();
      const set = { access, accessSince };
      await embedded.deps.store.commit([{ write: 'repository.state', repositoryId: REPOSITORY.id, set }]);
      expect(await dataAge(embedded.deps)).toMatchObject({ outOfReach: [] });
      await linked();
      await embedded.deps.store.commit([{ write: 'repository.state', repositoryId: REPOSITORY.id, set }]);
      const outOfReach = [{ repository: 'acme/widgets', access, since: accessSince }];
      expect(await dataAge(embedded.deps)).toMatchObject({ repositories: 1, outOfReach });
    },
  );

  it('is not that of a repository that is gone, once nothing there can be lost any more', async () => {
    const engine = await embedded.start();
    const [id] = await submit(embedded, { train: { run: embedded.long, issue: 12 } });
    await untilRunning(embedded, id!);
    github.set(12, { state: 'closed', reason: 'completed' });
    await engine.requestSweep();
    await untilTask(embedded, id!, { state: 'done' });
    expect(await dataAge(embedded.deps)).toMatchObject({ repositories: 1, oldest: 'acme/widgets' });
    const set = { access: 'gone', accessSince: new Date() } as const;
    await embedded.deps.store.commit([{ write: 'repository.state', repositoryId: REPOSITORY.id, set }]);
    expect(await dataAge(embedded.deps)).toMatchObject({ repositories: 0, oldest: null, outOfReach: [] });
  });
});

it('a sweep that a person asks for looks at everything', async () => {
  const engine = await embedded.start();
  const [id] = await submit(embedded, { train: { run: embedded.long, issue: 12 } });
  await untilRunning(embedded, id!);
  const { store } = embedded.deps;
  github.remove(12);
  await engine.requestSweep();
  await eventually(async () => expect((await store.repositoryState(REPOSITORY.id))?.verifiedAt).toBeInstanceOf(Date));
  await untilTask(embedded, id!, { state: 'cancelled', cause: 'issue_deleted' });
});
