/** The engine's ports in one place: what it needs of the world, and nothing more. */
export type { Clock, Logger, NewId } from './ports/environment.ts';
export * from './ports/github.ts';
export * from './ports/inbox.ts';
export * from './ports/outbox.ts';
export * from './ports/queries.ts';
export * from './ports/reads.ts';
export * from './ports/retention.ts';
export * from './ports/runner.ts';
export * from './ports/start.ts';
export * from './ports/store.ts';
export * from './ports/sweep.ts';
export * from './ports/work-queue.ts';
export * from './ports/writes.ts';
