/** Writes that went out, as rows: what the pace goes by, for all apps of the database and over restarts. */
import { nextWriteAt, PACE_WINDOW_MS } from '../../core/pace.ts';
import type { Clock, Outbox } from '../../engine/ports.ts';
import type { Connection, Dialect, Statements } from '../database.ts';
import { retryConflicts } from '../errors.ts';
import { inOurTime } from '../lease.ts';

export const PAUSED = ' paused';
/** The one row of a scope that says: no write before that time. */
const pauseOf = (scope: string) => `${scope}${PAUSED}`;

export function makePace({ db, dialect }: Connection, now: Clock): Pick<Outbox, 'admit' | 'pause'> {
  /** Looking and noting are one: no other app gets in between. */
  const alone = <T>(work: (transaction: Statements, clock: Date) => Promise<T>) =>
    retryConflicts(() => db.$transaction((transaction) => serialised(transaction, dialect, work)));

  return {
    admit: (scope, pace) =>
      alone(async (transaction, clock) => {
        await prune(transaction, scope, clock);
        const rows = await transaction.sentWrite.findMany({
          where: { scope },
          orderBy: [{ at: 'desc' }, { id: 'desc' }],
          take: pace.perHour,
        });
        const sent = rows.map(({ at }) => at).reverse();
        const pause = await transaction.sentWrite.findFirst({ where: { scope: pauseOf(scope), at: { gt: clock } } });
        const free = pause?.at ?? nextWriteAt(sent, pace, clock);
        const admitted = free <= clock;
        if (admitted) await transaction.sentWrite.create({ data: { scope, at: clock } });
        const freeAt = admitted ? nextWriteAt([...sent, clock], pace, clock) : free;
        return { admitted, freeAt: inOurTime(freeAt, clock, now()) };
      }),
    pause: (scope, ms) =>
      alone(async (transaction, clock) => {
        const until = new Date(clock.getTime() + ms);
        const known = await transaction.sentWrite.findFirst({ where: { scope: pauseOf(scope), at: { gte: until } } });
        if (known !== null) return;
        await transaction.sentWrite.deleteMany({ where: { scope: pauseOf(scope) } });
        await transaction.sentWrite.create({ data: { scope: pauseOf(scope), at: until } });
      }),
  };
}

async function serialised<T>(
  transaction: Statements,
  dialect: Dialect,
  work: (transaction: Statements, clock: Date) => Promise<T>,
): Promise<T> {
  await dialect.serialiseWrites(transaction);
  return work(transaction, await dialect.leaseClock(transaction));
}

/** What is too old to count, and what lies ahead: that was noted before the clock was set back. */
async function prune(transaction: Statements, scope: string, clock: Date): Promise<void> {
  const oldest = new Date(clock.getTime() - PACE_WINDOW_MS);
  await transaction.sentWrite.deleteMany({ where: { scope, OR: [{ at: { lte: oldest } }, { at: { gt: clock } }] } });
}
