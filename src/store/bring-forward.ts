/** After the clock was set back: what is due by the clock before would wait out the whole jump. */
import type { Connection } from './database.ts';
import { PARKED, sooner } from './lease.ts';
import { PAUSED } from './outbox/pace.ts';
import { upsertWorkKeys } from './work-keys.ts';

/** What somebody moves meanwhile is due by the clock as it is now. */
export async function bringForward({ db, dialect }: Connection, now: Date, byMs: number): Promise<void> {
  const dueAt = { gt: now, lt: PARKED };
  const keys = await db.workKey.findMany({ where: { dueAt }, select: { key: true, dueAt: true } });
  await upsertWorkKeys(
    db,
    keys.map((row) => ({ key: row.key, dueAt: sooner(row.dueAt, byMs, now) })),
  );
  const owed = await db.outboxItem.findMany({ where: { state: 'owed', dueAt }, select: { id: true, dueAt: true } });
  for (const row of owed) {
    await db.outboxItem.updateMany({ where: row, data: { dueAt: sooner(row.dueAt, byMs, now) } });
  }
  const clock = await dialect.leaseClock(db);
  const pauses = await db.sentWrite.findMany({ where: { scope: { endsWith: PAUSED }, at: { gt: clock } } });
  for (const { id, at } of pauses) {
    await db.sentWrite.updateMany({ where: { id }, data: { at: sooner(at, byMs, clock) } });
  }
}
