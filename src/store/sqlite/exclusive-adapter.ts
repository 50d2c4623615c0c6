/**
 * Prisma's SQLite adapter has one connection, and guards it only while a transaction starts: a statement issued meanwhile
 * by somebody else would run inside that transaction and be lost when it rolls back. Here every statement outside a
 * transaction waits for the one in progress, and transactions take the write lock when they begin.
 *
 * Each commit waits until the disk has it, but for what may be lost with the machine's power: that is in the write-ahead log, in its place,
 * and the next commit that waits takes it along (https://sqlite.org/pragma.html#pragma_synchronous).
 */
import type {
  SqlDriverAdapter,
  SqlMigrationAwareDriverAdapterFactory,
  SqlQuery,
  Transaction,
} from '@prisma/driver-adapter-utils';
import { type Breathe, makeBreather } from './breather.ts';
import { makeTurnstile } from './turnstile.ts';

export interface AdapterHooks {
  /** Prepares a new connection. */
  prepare(adapter: SqlDriverAdapter): Promise<void>;
  /** Whether whoever asks for a statement or a transaction does not need to have it on the disk. */
  isUnhurried(): boolean;
  /** Returns what throws once the new connection must not be used any more. */
  makeCheck(): () => void;
  /** A transaction could not be ended, so that what the connection holds is unknown, or the check threw: it is over. */
  onFatal(error: Error): void;
}

export function makeExclusiveFactory(
  factory: SqlMigrationAwareDriverAdapterFactory,
  hooks: AdapterHooks,
): SqlMigrationAwareDriverAdapterFactory {
  return {
    provider: factory.provider,
    adapterName: factory.adapterName,
    connectToShadowDb: () => factory.connectToShadowDb(),
    connect: async () => {
      const adapter = await factory.connect();
      await hooks.prepare(adapter);
      return makeExclusive(adapter, hooks);
    },
  };
}

/** What a commit waits for, as SQLite's `synchronous` names it: the system's memory, or the disk. */
type Level = 'NORMAL' | 'FULL';

function isRead(sql: string): boolean {
  return /^\s*SELECT\b/i.test(sql);
}

function makeExclusive(adapter: SqlDriverAdapter, hooks: AdapterHooks): SqlDriverAdapter {
  const turnstile = makeTurnstile();
  const breathe = makeBreather();
  const check = hooks.makeCheck();
  let broken: Error | null = null;

  function breakWith(error: Error): void {
    broken = error;
    hooks.onFatal(error);
  }

  function throwIfUnusable(): void {
    if (broken !== null) throw broken;
    try {
      check();
    } catch (error) {
      breakWith(toError(error));
      throw error;
    }
  }

  /** Waits for the caller's turn; a connection that must not be used takes nobody any more. */
  async function enter(): Promise<() => void> {
    const leave = await turnstile.enter();
    await breathe();
    try {
      throwIfUnusable();
      return leave;
    } catch (error) {
      leave();
      throw error;
    }
  }

  /** How the connection commits now: as the last one asked for that wrote. */
  let level: Level = 'FULL';

  /** Outside of transactions, by whoever has the turn. */
  async function commitAt(wanted: Level): Promise<void> {
    if (wanted === level) return;
    try {
      await adapter.queryRaw(statement(`PRAGMA synchronous = ${wanted}`));
      level = wanted;
    } catch (error) {
      // How it commits is not known any more, and nobody could rely on it.
      breakWith(toError(error));
      throw error;
    }
  }

  /** What is wanted is taken from whoever asks, before it waits for its turn; null: nothing will be written. */
  async function enterAt(wanted: Level | null): Promise<() => void> {
    const leave = await enter();
    try {
      if (wanted !== null) await commitAt(wanted);
      return leave;
    } catch (error) {
      leave();
      throw error;
    }
  }

  const asked = (): Level => (hooks.isUnhurried() ? 'NORMAL' : 'FULL');
  const askedFor = ({ sql }: SqlQuery): Level | null => (isRead(sql) ? null : asked());

  async function alone<T>(wanted: Level | null, use: () => Promise<T>): Promise<T> {
    const leave = await enterAt(wanted);
    try {
      const answer = await use();
      // What was written meanwhile to a file that is gone was not kept.
      throwIfUnusable();
      return answer;
    } finally {
      leave();
    }
  }

  async function startTransaction(): Promise<Transaction> {
    const leave = await enterAt(asked());
    try {
      await adapter.executeRaw(statement('BEGIN IMMEDIATE'));
    } catch (error) {
      leave();
      throw error;
    }
    return makeTransaction(adapter, { leave: async () => leave(), breathe, throwIfUnusable, onFatal: breakWith });
  }

  return {
    provider: adapter.provider,
    adapterName: adapter.adapterName,
    queryRaw: (query) => alone(askedFor(query), () => adapter.queryRaw(query)),
    executeRaw: (query) => alone(askedFor(query), () => adapter.executeRaw(query)),
    executeScript: (script) => alone(asked(), () => adapter.executeScript(script)),
    startTransaction,
    dispose: async () => {
      const leave = await turnstile.enter();
      await adapter.dispose().finally(leave);
    },
  };
}

interface TransactionHooks {
  leave(): Promise<void>;
  breathe: Breathe;
  throwIfUnusable(): void;
  onFatal(error: Error): void;
}

/** Prisma sends COMMIT and ROLLBACK as statements, and calls `commit` or `rollback` when the connection is free again. */
function makeTransaction(
  adapter: SqlDriverAdapter,
  { leave, breathe, throwIfUnusable, onFatal }: TransactionHooks,
): Transaction {
  async function executeRaw(query: SqlQuery): Promise<number> {
    await breathe();
    const count = await execute(query);
    if (query.sql === 'COMMIT') throwIfUnusable();
    return count;
  }
  async function execute(query: SqlQuery): Promise<number> {
    try {
      return await adapter.executeRaw(query);
    } catch (error) {
      const poisoned = query.sql === 'COMMIT' || (query.sql === 'ROLLBACK' && !(await isIdle(adapter)));
      if (poisoned) onFatal(toError(error));
      throw error;
    }
  }
  const run = async (sql: string) => void (await adapter.executeRaw(statement(sql)));

  return {
    provider: adapter.provider,
    adapterName: adapter.adapterName,
    options: { usePhantomQuery: false },
    queryRaw: async (query) => {
      await breathe();
      return adapter.queryRaw(query);
    },
    executeRaw,
    commit: leave,
    rollback: leave,
    createSavepoint: (name) => run(`SAVEPOINT ${name}`),
    rollbackToSavepoint: (name) => run(`ROLLBACK TO ${name}`),
    releaseSavepoint: (name) => run(`RELEASE SAVEPOINT ${name}`),
  };
}

/** SQLite ends some transactions by itself (a full disk, say): then there was nothing left to roll back. */
async function isIdle(adapter: SqlDriverAdapter): Promise<boolean> {
  try {
    await adapter.executeRaw(statement('BEGIN'));
    await adapter.executeRaw(statement('ROLLBACK'));
    return true;
  } catch {
    return false;
  }
}

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

export function statement(sql: string): SqlQuery {
  return { sql, args: [], argTypes: [] };
}
