/** How a store comes by its tables, whatever database it is on. */
import type { SqlMigrationAwareDriverAdapterFactory } from '@prisma/driver-adapter-utils';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { migrate } from '../../src/store/index.ts';
import { readMigrationFolder } from '../../src/store/migrations/folder.ts';
import { applyMigrations } from '../../src/store/migrations/migrate.ts';
import { openOn, type TestDatabase } from '../support/databases.ts';
import { makeBatch, makeBlocker, makeIssue, makeTask, putBlocker, repository, T0 } from './store/records.ts';

export interface MigrationGround {
  dialect: 'sqlite' | 'postgresql';
  makeDatabase(): Promise<TestDatabase>;
  /** What Prisma's engine reaches it by. */
  adaptersOf(databaseUrl: string): SqlMigrationAwareDriverAdapterFactory;
  /** How the database's tables differ from what the schema describes. */
  differences(databaseUrl: string): Promise<readonly string[]>;
  execute(databaseUrl: string, sql: string): Promise<unknown>;
}

/** The records of the contract, as the first version wrote them. */
const FIRST_VERSION_ROWS = `
  INSERT INTO repositories (id, full_name, name_key, installation_id)
    VALUES ('1001', 'Acme/Widgets', 'acme/widgets', 77);
  INSERT INTO issues (repository_id, number, node_id, title, url, state, reason, updated_at, author, locked,
      is_pull_request, presence, read_due, observed_at, version)
    VALUES ('1001', 12, 'I_12', 'Train the ranker 🚂', 'https://github.com/Acme/Widgets/issues/12', 'open', 'unknown',
      '${T0.toISOString()}', 'ada', false, false, 'present', false, '${T0.toISOString()}', 1);
  INSERT INTO batches (id, repository_id, name, live_key, strategy, max_parallel, on_failure, state, stuck, document,
      created_at, version)
    VALUES ('batch-1', '1001', 'nightly', '1001/nightly', 'parallel', 4, 'continue', 'running', false, '{}',
      '${T0.toISOString()}', 1);
  INSERT INTO tasks (id, key, name, batch_id, repository_id, issue_number, spec, position, needs, priority, state,
      blockers, generation, attempt, run_number, created_at, updated_at, version)
    VALUES ('task-1', 'task-1', 'Train', 'batch-1', '1001', 12, '${JSON.stringify(makeTask().spec)}', 0, '["fetch"]',
      0, 'ready', '[]', 1, 0, 0, '${T0.toISOString()}', '${T0.toISOString()}', 1);`;

export function describeMigrations(ground: MigrationGround): void {
  const { dialect, makeDatabase, differences, execute } = ground;
  describe(`migrations on ${dialect}`, () => {
    let database: TestDatabase;
    beforeEach(async () => {
      database = await makeDatabase();
    });
    afterEach(() => database.remove());

    const keep = { remove: async () => {} };
    const open = () => openOn({ databaseUrl: database.databaseUrl, ...keep });

    async function pretendApplied(name: string): Promise<void> {
      const columns = 'id, checksum, migration_name, finished_at, started_at, applied_steps_count';
      const values = `'${name}', 'abc', '${name}', CURRENT_TIMESTAMP, CURRENT_TIMESTAMP, 1`;
      await execute(database.databaseUrl, `INSERT INTO _prisma_migrations (${columns}) VALUES (${values})`);
    }

    it('applies each migration once', async () => {
      const { migrations } = await readMigrationFolder(dialect);
      expect(await migrate(database.databaseUrl)).toEqual(migrations.map(({ name }) => name));
      expect(await migrate(database.databaseUrl)).toEqual([]);
    });

    it('applies each migration once when several start at the same time', async () => {
      const applied = await Promise.all([1, 2, 3].map(() => migrate(database.databaseUrl)));
      const { migrations } = await readMigrationFolder(dialect);
      expect(applied.flat()).toEqual(migrations.map(({ name }) => name));
    });

    it('makes the tables that the schema describes', async () => {
      await migrate(database.databaseUrl);
      expect(await differences(database.databaseUrl)).toEqual([]);
      await execute(database.databaseUrl, 'DROP INDEX runs_state_idx');
      await execute(database.databaseUrl, 'ALTER TABLE batches ADD COLUMN surplus TEXT');
      expect(await differences(database.databaseUrl)).not.toEqual([]);
    });

    it('keeps the rows of a database that is opened again', async () => {
      const first = await open();
      await first.store.inbox.insert({ id: 'd-1', event: 'issues', payload: '{}', receivedAt: new Date() });
      await first.close();
      const second = await open();
      expect(await second.store.inbox.pending(9)).toHaveLength(1);
      await second.close();
    });

    it('goes on with the rows of a database that the first version has written', async () => {
      const { databaseUrl } = database;
      const folder = await readMigrationFolder(dialect);
      await applyMigrations(ground.adaptersOf(databaseUrl), { ...folder, migrations: folder.migrations.slice(0, 1) });
      await execute(databaseUrl, FIRST_VERSION_ROWS);
      const { store, close } = await open();
      try {
        const issue = makeIssue({ blockersDue: true });
        expect(await store.repository('1001')).toEqual(repository);
        expect(await store.issue(issue)).toEqual(issue);
        expect(await store.batch('batch-1')).toEqual(makeBatch());
        expect(await store.tasksOfBatch('batch-1')).toEqual([makeTask({ batchId: 'batch-1', needsDue: true })]);
        const settle = { write: 'issue.update', ref: issue, version: 1, set: { blockersDue: false } } as const;
        expect(await store.commit([settle, putBlocker()])).toBe(true);
        expect((await store.issue(issue))?.blockersDue).toBe(false);
        expect(await store.blockersOf(issue)).toEqual([makeBlocker()]);
      } finally {
        await close();
      }
      expect(await differences(databaseUrl)).toEqual([]);
    });

    it('refuses a database that a newer version has written, and names what it has', async () => {
      await migrate(database.databaseUrl);
      await pretendApplied('29990101000000_from_the_future');
      await expect(open()).rejects.toThrow(/newer.*29990101000000_from_the_future/);
    });

    it('refuses a database with another history', async () => {
      await migrate(database.databaseUrl);
      await execute(database.databaseUrl, 'DELETE FROM _prisma_migrations');
      await pretendApplied('20200101000000_elsewhere');
      await expect(open()).rejects.toThrow(/history differs.*20200101000000_elsewhere/);
    });

    it('refuses a database whose migration failed halfway', async () => {
      await migrate(database.databaseUrl);
      await execute(database.databaseUrl, 'UPDATE _prisma_migrations SET finished_at = NULL');
      await expect(open()).rejects.toThrow(/failed halfway/);
    });

    it('refuses a database that was made by other scripts', async () => {
      await migrate(database.databaseUrl);
      await execute(database.databaseUrl, "UPDATE _prisma_migrations SET checksum = 'abc'");
      await expect(open()).rejects.toThrow(/other scripts/);
    });
  });
}
