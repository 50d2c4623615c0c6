/**
 * The engine's `Store` in memory: for embedding, tests and trials, not for production. Everything in it is lost with the
 * process.
 */
import type { Clock, OnEnqueued, Store } from '../../engine/ports.ts';
import { makeCommit } from './commit/commit.ts';
import { makeTables } from './database.ts';
import { makeInbox } from './inbox.ts';
import { makeOutbox } from './outbox/index.ts';
import { makeQueries } from './queries.ts';
import { makeQueue } from './queue.ts';
import { makeReads } from './reads.ts';
import { makeRetention } from './retention.ts';

export interface MemoryStoreOptions {
  now: Clock;
  /** The place to wake the engine from. */
  onEnqueued?: OnEnqueued;
}

/** What goes in and what comes out is copied: nobody changes the store by changing what they hold. */
export function makeMemoryStore({ now, onEnqueued = () => {} }: MemoryStoreOptions): Store {
  const tables = makeTables();
  return {
    ...makeReads(tables),
    exclusive: true,
    inbox: makeInbox(tables),
    queue: makeQueue(tables, { now, onEnqueued }),
    outbox: makeOutbox(tables, now),
    queries: makeQueries(tables),
    retention: makeRetention(tables),
    commit: makeCommit(tables, onEnqueued),
    // Nobody else can reach this store, so nobody else can own the runners.
    ownRunners: async () => {},
    check: async () => {},
    close: async () => {},
  };
}
