import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import BetterSqlite3 from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openStore } from '../../src/store/index.ts';
import { connectSqlite } from '../../src/store/sqlite/connect.ts';
import { migrateSqlite } from '../../src/store/sqlite/migrate.ts';
import { makeSqliteDatabase, openOn, silentLog, type TestDatabase } from '../support/databases.ts';

const APP = fileURLToPath(new URL('fixtures/app.mjs', import.meta.url));

describe('the SQLite file', () => {
  let database: TestDatabase;
  let file: string;
  const children: ChildProcess[] = [];

  beforeEach(async () => {
    database = await makeSqliteDatabase();
    file = database.databaseUrl.slice('file:'.length);
  });
  afterEach(async () => {
    for (const child of children.splice(0)) await kill(child);
    await database.remove();
  });

  const open = (databaseUrl = database.databaseUrl) => openOn({ databaseUrl, remove: async () => {} });

  async function kill(child: ChildProcess): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }

  /** Starts an app on the same file; `lines` are what it says. */
  function startApp(): { app: ChildProcess; lines: AsyncIterator<string> } {
    const app = spawn(process.execPath, [APP, database.databaseUrl], { stdio: ['ignore', 'pipe', 'inherit'] });
    children.push(app);
    return { app, lines: createInterface({ input: app.stdout! })[Symbol.asyncIterator]() };
  }

  it('is made with its folder, which others may pass through', async () => {
    const before = process.umask(0o077);
    try {
      const { store, close } = await open(`file:${dirname(file)}/deep/er/test.db`);
      await store.check();
      await close();
    } finally {
      process.umask(before);
    }
    expect((await stat(`${dirname(file)}/deep/er`)).mode & 0o777).toBe(0o711);
  });

  it('is its owner’s alone, with all that lies beside it', async () => {
    const before = process.umask(0o022);
    try {
      const { store, close } = await open();
      await store.check();
      const names = await readdir(dirname(file));
      const modes = names.map(async (name) => [name, (await stat(join(dirname(file), name))).mode & 0o777]);
      const expected = ['', '-shm', '-wal', '.lock', '.lock-journal'].map((end) => [`${basename(file)}${end}`, 0o600]);
      expect(Object.fromEntries(await Promise.all(modes))).toEqual(Object.fromEntries(expected));
      await close();
    } finally {
      process.umask(before);
    }
  });

  it.each([
    ['deleted', () => rm(file)],
    ['replaced', () => writeFile(`${file}.new`, '').then(() => rename(`${file}.new`, file))],
    [
      'moved away with its folder',
      () => rename(dirname(file), `${dirname(file)}.old`).then(() => mkdir(dirname(file))),
    ],
  ])('says so once when it was %s, and acknowledges nothing more', async (_how, lose) => {
    const fatal: Error[] = [];
    const onFatal = (error: Error) => void fatal.push(error);
    const store = await openStore({ ...database, now: () => new Date(), log: silentLog, onFatal });
    try {
      await store.check();
      await lose();
      const delivery = { id: 'd1', event: 'issues', payload: '{}', receivedAt: new Date() };
      await expect(store.inbox.insert(delivery)).rejects.toThrow(`the database ${file} was `);
      await expect(store.check()).rejects.toThrow(`the database ${file} was `);
      await expect(store.commit([{ write: 'work.enqueue', key: 'k', dueAt: new Date() }])).rejects.toThrow(
        `the database ${file} was `,
      );
      expect(fatal).toHaveLength(1);
    } finally {
      await store.close();
      await rm(`${dirname(file)}.old`, { recursive: true, force: true });
    }
  });

  it('was lost in the middle of a transaction: what it wrote is not acknowledged', async () => {
    await migrateSqlite(file);
    const fatal: Error[] = [];
    const onFatal = (error: Error) => void fatal.push(error);
    const { db, close } = await connectSqlite({ file, now: () => new Date(), onFatal });
    const written = db.$transaction(async (transaction) => {
      await transaction.$executeRawUnsafe('INSERT INTO probes (id, at) VALUES (1, 0)');
      await rm(file);
    });
    await expect(written).rejects.toThrow(`the database ${file} was deleted`);
    expect(fatal).toHaveLength(1);
    await close();
  });

  it('is durable: WAL, and every commit synced', async () => {
    const { close } = await open();
    const db = new BetterSqlite3(file, { readonly: true });
    expect(db.pragma('journal_mode', { simple: true })).toBe('wal');
    db.close();
    await close();
    const { db: client, close: disconnect } = await connectSqlite({ file, now: () => new Date(), onFatal: () => {} });
    const settings = [
      await client.$queryRawUnsafe('PRAGMA synchronous'),
      await client.$queryRawUnsafe('PRAGMA foreign_keys'),
    ];
    expect(settings.map((rows) => Object.values((rows as object[])[0]!)[0]).map(Number)).toEqual([2, 1]);
    await disconnect();
  });

  it('refuses a second app, naming the file, and takes one after the first was closed', async () => {
    const first = await open();
    await expect(open()).rejects.toThrow(`another Standdown uses the database ${file}`);
    await first.close();
    const second = await open();
    await second.close();
  });

  it('refuses a second app in another process', async () => {
    const { lines } = startApp();
    expect((await lines.next()).value).toBe('open');
    await expect(open()).rejects.toThrow(`another Standdown uses the database ${file}`);
  });

  it('is free at once after kill -9 and holds all that was acknowledged', async () => {
    const { app, lines } = startApp();
    expect((await lines.next()).value).toBe('open');
    const said: string[] = [];
    while (said.length < 25) said.push((await lines.next()).value);
    await kill(app);
    for (let line = await lines.next(); !line.done; line = await lines.next()) said.push(line.value);
    const { store, close } = await open();
    const kept = (await store.inbox.pending(100_000)).map(({ id }) => `stored ${id}`);
    expect(kept).toEqual(expect.arrayContaining(said));
    await close();
  });

  it('ends the process’s use of it when a COMMIT fails', async () => {
    await migrateSqlite(file);
    const fatal: Error[] = [];
    const onFatal = (error: Error) => void fatal.push(error);
    const { db, close } = await connectSqlite({ file, now: () => new Date(), onFatal });
    const commit = db.$transaction(async (transaction) => {
      await transaction.$executeRawUnsafe('PRAGMA defer_foreign_keys = ON');
      await transaction.$executeRawUnsafe(
        "INSERT INTO outbox_lines (item_key, task_id, effect, result) VALUES ('none', 'none', 'ended', 'done')",
      );
    });
    await expect(commit).rejects.toThrow();
    expect(fatal).toHaveLength(1);
    await expect(db.delivery.count()).rejects.toThrow();
    await expect(db.$transaction(async (transaction) => transaction.delivery.count())).rejects.toThrow();
    await close();
  });

  it('goes on after SQLite itself ended a transaction', async () => {
    await migrateSqlite(file);
    const fatal: Error[] = [];
    const onFatal = (error: Error) => void fatal.push(error);
    const { db, close } = await connectSqlite({ file, now: () => new Date(), onFatal });
    const ended = db.$transaction(async (transaction) => {
      await transaction.$executeRawUnsafe('ROLLBACK');
      throw new Error('disk full');
    });
    await expect(ended).rejects.toThrow();
    expect(fatal).toEqual([]);
    expect(await db.delivery.count()).toBe(0);
    await close();
  });

  it('gives the event loop a turn while one statement follows another', async () => {
    const { store, close } = await open();
    let turned = false;
    setImmediate(() => {
      turned = true;
    });
    // Far more than what takes some milliseconds, and an end where the loop is never let in.
    for (let asked = 0; asked < 5_000 && !turned; asked++) await store.task('none');
    expect(turned).toBe(true);
    await close();
  });

  it.each([
    'mysql://root@localhost/test',
    './data/standdown.db',
    'file:',
    'file::memory:',
    'file:a.db?mode=ro',
    'postgresql://localhost',
    'postgresql://u:secret@localhost/db?schema=other',
  ])('%s is refused as a database, without repeating a password', async (databaseUrl) => {
    const opening = openStore({ databaseUrl, now: () => new Date(), log: silentLog });
    await expect(opening).rejects.toThrow(/^DATABASE_URL (?!.*secret)/);
  });
});
