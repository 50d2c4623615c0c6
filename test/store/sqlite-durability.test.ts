/** What waits for the disk and what does not, as SQLite itself tells: 2 is FULL, 1 is NORMAL. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SqlDriverAdapter, SqlQuery } from '@prisma/driver-adapter-utils';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Connection, Statements } from '../../src/store/database.ts';
import { connectSqlite } from '../../src/store/sqlite/connect.ts';
import { makeExclusiveFactory, statement } from '../../src/store/sqlite/exclusive-adapter.ts';

describe('a commit', () => {
  let dir: string;
  let connection: Connection;

  beforeEach(async () => {
    dir = mkdtempSync(join(tmpdir(), 'standdown-durability-'));
    const onFatal = (error: Error) => {
      throw error;
    };
    connection = await connectSqlite({ file: join(dir, 'test.db'), now: () => new Date(), onFatal });
  });
  afterEach(async () => {
    await connection.close();
    rmSync(dir, { recursive: true });
  });

  async function level(statements: Statements): Promise<number> {
    const [row] = await statements.$queryRaw<{ synchronous: bigint }[]>`PRAGMA synchronous`;
    return Number(row?.synchronous);
  }

  it('waits for the disk unless it was said that it need not, alone and in a transaction', async () => {
    const { db, dialect } = connection;
    expect(await level(db)).toBe(2);
    expect(await dialect.unhurried(() => level(db))).toBe(1);
    expect(await db.$transaction(level)).toBe(2);
    expect(await dialect.unhurried(() => db.$transaction(level))).toBe(1);
    expect(await level(db)).toBe(2);
  });

  it('waits for it whoever else does not, at the same time', async () => {
    const { db, dialect } = connection;
    const seen = await Promise.all(
      Array.from({ length: 40 }, (_, index) => {
        const look = () => (index % 4 < 2 ? db.$transaction(level) : level(db));
        return index % 2 === 0 ? look() : dialect.unhurried(look);
      }),
    );
    expect(seen).toEqual(Array.from({ length: 40 }, (_, index) => (index % 2 === 0 ? 2 : 1)));
  });

  it('waits for it again after one that need not failed or was rolled back', async () => {
    const { db, dialect } = connection;
    const fail = (statements: Statements) => statements.$executeRaw`INSERT INTO nowhere VALUES (1)`;
    await expect(dialect.unhurried(() => fail(db))).rejects.toThrow(/nowhere/);
    expect(await level(db)).toBe(2);
    await expect(dialect.unhurried(() => db.$transaction(fail))).rejects.toThrow(/nowhere/);
    expect(await level(db)).toBe(2);
  });
});

it('is over with a connection that can not be made to wait for the disk again', async () => {
  const fatal: string[] = [];
  const refuse = async ({ sql }: SqlQuery) => {
    if (sql.endsWith('FULL')) throw new Error('no more');
    return { columnNames: [], columnTypes: [], rows: [] };
  };
  const inner = { provider: 'sqlite', adapterName: 'test', queryRaw: refuse, executeRaw: async () => 1 };
  const factory = {
    ...({ provider: 'sqlite', adapterName: 'test' } as const),
    connect: async () => inner as unknown as SqlDriverAdapter,
    connectToShadowDb: async () => inner as unknown as SqlDriverAdapter,
  };
  let isUnhurried = true;
  const hooks = {
    prepare: async () => {},
    isUnhurried: () => isUnhurried,
    makeCheck: () => () => {},
    onFatal: (error: Error) => void fatal.push(error.message),
  };
  const adapter = await makeExclusiveFactory(factory, hooks).connect();
  await adapter.executeRaw(statement('UPDATE x SET y = 1'));
  isUnhurried = false;
  await expect(adapter.executeRaw(statement('UPDATE x SET y = 2'))).rejects.toThrow('no more');
  isUnhurried = true;
  await expect(adapter.executeRaw(statement('UPDATE x SET y = 3'))).rejects.toThrow('no more');
  expect(fatal).toEqual(['no more']);
});
