/** Several apps on one PostgreSQL database. */
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Write } from '../../../src/engine/ports.ts';
import { append, owe, putRepository } from '../../contract/store/records.ts';
import {
  emptyPostgresqlDatabase,
  makePostgresqlDatabase,
  openOn,
  queryPostgresql,
  type TestDatabase,
  type TestStore,
} from '../../support/databases.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/** Lets an event of the type SLOW wait, once it was written, until the gate is opened: its COMMIT takes that long. */
const GATE = 4711;
const HOLD_SLOW_COMMITS = `
  CREATE OR REPLACE FUNCTION wait_for_gate() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN PERFORM pg_advisory_xact_lock(${GATE}); RETURN NULL; END $$;
  CREATE CONSTRAINT TRIGGER hold_slow_commits AFTER INSERT ON events DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW WHEN (NEW.type = 'SLOW') EXECUTE FUNCTION wait_for_gate()`;

/** Statements that wait for a lock. */
async function countWaiting(databaseUrl: string): Promise<number> {
  const waiting = "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
  return (await queryPostgresql(databaseUrl, waiting)).length;
}

describe('apps that share a PostgreSQL database', () => {
  let database: TestDatabase;
  let apps: TestStore[] = [];

  beforeAll(async () => {
    database = await makePostgresqlDatabase();
  });
  afterAll(() => database.remove());
  afterEach(async () => {
    for (const app of apps.splice(0)) await app.close();
  });

  /** An app whose clock is wrong by `skewMs`. */
  async function open(skewMs = 0): Promise<TestStore> {
    const now = () => new Date(Date.now() + skewMs);
    const app = await openOn({ databaseUrl: database.databaseUrl, remove: async () => {} }, { now });
    apps.push(app);
    return app;
  }

  it('start at the same time on an empty database', async () => {
    apps = [];
    const fresh = await makePostgresqlDatabase();
    const keep = { databaseUrl: fresh.databaseUrl, remove: async () => {} };
    const opened = await Promise.all([1, 2, 3].map(() => openOn(keep)));
    for (const app of opened) await app.store.check();
    for (const app of opened) await app.close();
    await fresh.remove();
  });

  describe('once they are started', () => {
    beforeEach(async () => {
      await open();
      await emptyPostgresqlDatabase(database.databaseUrl);
      await apps[0]!.store.commit([putRepository]);
      await open();
      await open();
    });

    it('never work on the same key', async () => {
      const keys = Array.from({ length: 120 }, (_, i) => `key-${i}`);
      await apps[0]!.store.queue.enqueue(keys.map((key) => ({ key, dueAt: new Date() })));
      const claimed: string[] = [];
      async function work(app: TestStore, owner: string): Promise<void> {
        while (true) {
          const leases = await app.store.queue.claim(owner, 5, MINUTE);
          if (leases.length === 0) return;
          claimed.push(...leases.map(({ key }) => key));
          for (const lease of leases) await app.store.queue.complete(lease);
        }
      }
      await Promise.all(apps.flatMap((app, i) => [work(app, `a${i}`), work(app, `b${i}`)]));
      expect([...claimed].sort()).toEqual([...keys].sort());
    });

    it('find what is due behind what another one takes at the same time', async () => {
      const { databaseUrl } = database;
      const [one] = apps as [TestStore];
      await one.store.queue.enqueue([{ key: 'first', dueAt: new Date(Date.now() - MINUTE) }]);
      await one.store.queue.enqueue([{ key: 'second', dueAt: new Date() }]);
      const other = new pg.Client({ connectionString: databaseUrl });
      await other.connect();
      try {
        await other.query("BEGIN; UPDATE work_keys SET lease_until = now() + interval '1 hour' WHERE key = 'first'");
        const claimed = one.store.queue.claim('one', 1, MINUTE);
        await expect.poll(() => countWaiting(databaseUrl)).toBe(1);
        await other.query('COMMIT');
        expect((await claimed).map(({ key }) => key)).toEqual(['second']);
      } finally {
        await other.end();
      }
    });

    it('never hold two messages of one issue', async () => {
      const writes = Array.from({ length: 12 }, (_, i) => owe(`m-${i}`, { number: i % 3 }));
      await apps[0]!.store.commit(writes);
      const claims = await Promise.all(
        apps.flatMap(({ store }) => [store.outbox.claim('a', 4, MINUTE), store.outbox.claim('b', 4, MINUTE)]),
      );
      expect(
        claims
          .flat()
          .map(({ item }) => item.number)
          .sort(),
      ).toEqual([0, 1, 2]);
    });

    it('stay below GitHub’s limits together, also those whose clock is a day wrong', async () => {
      const asking = [...apps, await open(DAY), await open(-DAY)].flatMap((app) => [app, app, app, app]);
      const pace = { gapMs: 0, perMinute: 5, perHour: 9 };
      const answers = await Promise.all(asking.map(({ store }) => store.outbox.admit('installation:77', pace)));
      expect(answers.filter(({ admitted }) => admitted)).toHaveLength(5);
      const wait = await apps[0]!.store.outbox.admit('installation:77', pace);
      expect(wait.freeAt.getTime() - Date.now()).toBeGreaterThan(MINUTE / 2);
      expect(wait.freeAt.getTime() - Date.now()).toBeLessThanOrEqual(MINUTE);
      await asking.at(-1)!.store.outbox.pause('installation:78', 5 * MINUTE);
      expect(await apps[0]!.store.outbox.admit('installation:78', pace)).toMatchObject({ admitted: false });
    });

    it('do not take each other’s leases for run out when a clock is a day wrong', async () => {
      const ahead = await open(DAY);
      const behind = await open(-DAY);
      await apps[0]!.store.commit([owe('m'), { write: 'work.enqueue', key: 'a', dueAt: new Date() }]);
      const [lease] = await ahead.store.queue.claim('ahead', 1, MINUTE);
      const [message] = await ahead.store.outbox.claim('ahead', 1, MINUTE);
      for (const { store } of [apps[0]!, behind, ahead]) {
        expect(await store.queue.claim('other', 1, MINUTE)).toEqual([]);
        expect(await store.outbox.claim('other', 1, MINUTE)).toEqual([]);
        expect(await store.outbox.holds(message!)).toBe(true);
      }
      const next = await behind.store.queue.nextDue();
      expect(Math.abs(next!.getTime() - (Date.now() - DAY))).toBeLessThanOrEqual(MINUTE);
      expect(await behind.store.queue.renew(lease!, MINUTE)).toBe(true);
    });

    it('show no event before an earlier one that is still being committed', async () => {
      const { databaseUrl } = database;
      const gate = new pg.Client({ connectionString: databaseUrl });
      await gate.connect();
      await gate.query(HOLD_SLOW_COMMITS);
      await gate.query(`SELECT pg_advisory_lock(${GATE})`);
      const [one, two, reader] = apps.map(({ store }) => store);
      const readTypes = async () => (await reader!.queries.events(null, 9)).map(({ type }) => type);
      let seen: string[] | null = null;
      try {
        const slow = one!.commit([append({ type: 'SLOW' })]);
        await expect.poll(() => countWaiting(databaseUrl)).toBe(1);
        const fast = two!.commit([append({ type: 'FAST' })]).then(async () => {
          seen = await readTypes();
        });
        await expect.poll(async () => seen !== null || (await countWaiting(databaseUrl)) === 2).toBe(true);
        await gate.query(`SELECT pg_advisory_unlock(${GATE})`);
        await Promise.all([slow, fast]);
      } finally {
        await gate.query('DROP TRIGGER hold_slow_commits ON events');
        await gate.end();
      }
      expect(seen).toEqual(['SLOW', 'FAST']);
    });

    it('lose no commit when two lock the same rows in opposite order', async () => {
      const [one, two] = apps as [TestStore, TestStore];
      const settle = (id: string): Write => ({ write: 'delivery.settle', id, outcome: 'processed', at: new Date() });
      const pairs = Array.from({ length: 20 }, (_, i) => [`x-${i}`, `y-${i}`] as const);
      for (const id of pairs.flat()) {
        await one.store.inbox.insert({ id, event: 'issues', payload: '{}', receivedAt: new Date() });
      }
      const answers = await Promise.all(
        pairs.map(([x, y]) =>
          Promise.all([one.store.commit([settle(x), settle(y)]), two.store.commit([settle(y), settle(x)])]),
        ),
      );
      expect(answers.map((pair) => pair.filter(Boolean).length)).toEqual(pairs.map(() => 1));
      expect(await one.store.inbox.pending(99)).toEqual([]);
    });

    it('do not wait for each other when one starts in its turn what another ends', async () => {
      const { databaseUrl } = database;
      const [one] = apps as [TestStore];
      await one.store.commit([owe('status')]);
      await one.store.queue.enqueue([{ key: 'schedule', dueAt: new Date() }]);
      const [lease] = await one.store.queue.claim('one', 1, MINUTE);
      const ending = new pg.Client({ connectionString: databaseUrl });
      await ending.connect();
      try {
        await ending.query("BEGIN; UPDATE outbox_items SET failures = 0 WHERE id = 'status'");
        const start = one.store.commit([{ write: 'work.held', lease: lease! }, owe('status'), append()]);
        await expect.poll(() => countWaiting(databaseUrl)).toBe(1);
        // As what ends a run goes on: it owes a look at what may start.
        await ending.query("SELECT FROM work_keys WHERE key = 'schedule' FOR UPDATE NOWAIT");
        await ending.query('COMMIT');
        expect(await start).toBe(true);
      } finally {
        await ending.end();
      }
    });

    it('go on after the server dropped their connections', async () => {
      const { store } = apps[0]!;
      await store.check();
      await queryPostgresql(
        database.databaseUrl,
        'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
      );
      await expect.poll(() => store.check().then(() => 'writable', String)).toBe('writable');
    });
  });
});
