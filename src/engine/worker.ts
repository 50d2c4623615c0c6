/** Works off the queue of keys, many side by side, each key by one at a time. No timer of it matters: all that waits is a row. */

import { fractionOf } from '../core/fraction.ts';
import { type Loop, startLoop } from './loop.ts';
import { type Clock, GitHubError, type Logger, type WorkLease, type WorkQueue } from './ports.ts';

const LEASE_MS = 30_000;
const RENEW_MS = 10_000;
/** Whose lease was not renewed for so long has missed its turn to: this process, or its machine, stood still. */
const LATE_MS = 2 * RENEW_MS;
const MAX_BACKOFF_MS = 60_000;
/** Those that GitHub asked to be silent don't come back all at once: up to so much of the wait is added. */
const JITTER = 0.2;
/** Keys that wait take no place, but they hold leases. */
const MAX_IN_HAND = 500;

export interface WorkerOptions {
  queue: WorkQueue;
  owner: string;
  /** Places for work. */
  atOnce: number;
  /** Keys whose work mostly waits for others: they take no place, so that nobody's silence holds up a stop. */
  waits(key: string): boolean;
  clock: Clock;
  log: Logger;
  handle(lease: WorkLease): Promise<void>;
}

/** `stop` takes no new key and resolves when what is in hand is done. */
export function startWorker(options: WorkerOptions): Loop {
  const { queue, clock, log, owner, atOnce, waits } = options;
  const inHand = new Set<Promise<void>>();
  const leases = makeLeases(options);
  let taken = 0;
  /** The last look took all that it could: more may be due. */
  let isShort = false;

  async function look(): Promise<null> {
    // What ran out while this process stood still would be taken a second time, beside what has it in hand.
    await leases.renewLate();
    const free = Math.min(atOnce - taken, MAX_IN_HAND - inHand.size);
    const claimed = free > 0 ? await queue.claim(owner, free, LEASE_MS) : [];
    for (const lease of claimed) take(lease);
    isShort = claimed.length === free;
    // Behind keys that take no place, or a place that became free meanwhile.
    if (isShort && claimed.length > 0 && taken < atOnce) loop.wake();
    return null;
  }

  function take(lease: WorkLease): void {
    const place = waits(lease.key) ? 0 : 1;
    taken += place;
    const work = leases
      .whileHeld(lease, () => carryOut(options, lease))
      .then((isDueAgain) => {
        inHand.delete(work);
        taken -= place;
        // Otherwise whatever becomes due wakes by itself.
        if (isShort || isDueAgain) loop.wake();
      });
    inHand.add(work);
  }

  const loop = startLoop({ name: 'work', log, clock, run: look });
  return {
    wake: loop.wake,
    async stop() {
      await loop.stop();
      await Promise.all(inHand);
    },
  };
}

/** Of what is in hand: renewed as long as its work goes on. */
function makeLeases({ queue, clock, log }: WorkerOptions) {
  const renewedAt = new Map<WorkLease, Date>();

  async function renew(lease: WorkLease): Promise<void> {
    renewedAt.set(lease, clock());
    await queue.renew(lease, LEASE_MS).catch((error) => log.warn({ key: lease.key, err: error }, 'lease not renewed'));
  }

  return {
    async renewLate(): Promise<void> {
      const now = clock().getTime();
      const late = [...renewedAt].filter(([, at]) => now - at.getTime() >= LATE_MS).map(([lease]) => lease);
      await Promise.all(late.map(renew));
    },
    async whileHeld<T>(lease: WorkLease, work: () => Promise<T>): Promise<T> {
      renewedAt.set(lease, clock());
      const renewal = setInterval(() => void renew(lease), RENEW_MS);
      try {
        return await work();
      } finally {
        clearInterval(renewal);
        renewedAt.delete(lease);
      }
    },
  };
}

/** Whether the key was enqueued meanwhile. Never rejects. */
async function carryOut(options: WorkerOptions, lease: WorkLease): Promise<boolean> {
  try {
    await options.handle(lease);
    return !(await options.queue.complete(lease));
  } catch (error) {
    await giveBack(options, lease, error);
    return true;
  }
}

async function giveBack({ queue, clock, log }: WorkerOptions, lease: WorkLease, error: unknown): Promise<void> {
  const { key, failures } = lease;
  const message = error instanceof Error ? error.message : String(error);
  log.warn({ key, failures: failures + 1, err: error }, 'work failed');
  const dueAt = retryAt(error, { key, failures }, clock());
  // If even this fails, the lease runs out and brings the key back.
  await queue.fail(lease, dueAt, message).catch((failed) => log.error({ key, err: failed }, 'work not given back'));
}

/** When work is tried again that had failed so many times before; what has news of it meanwhile brings it forward. */
export function retryAt(error: unknown, { key, failures }: Pick<WorkLease, 'key' | 'failures'>, now: Date): Date {
  const asked =
    error instanceof GitHubError ? (error.retryAfterSeconds ?? 0) * 1_000 * (1 + JITTER * fractionOf(key)) : 0;
  return new Date(now.getTime() + Math.max(asked, Math.min(MAX_BACKOFF_MS, 500 * 2 ** failures)));
}
