import type { AttendedReads } from '../engine/ports.ts';
import type { Database } from './database.ts';
import { inPortions } from './many-rows.ts';
import { orNull } from './or-null.ts';
import { fromAttendedRow } from './rows/attended-run.ts';

export function makeAttendedReads(db: Database): AttendedReads {
  return {
    attendedRuns: async (runIds) => {
      const portions = inPortions(runIds).map((ids) => db.attendedRun.findMany({ where: { runId: { in: ids } } }));
      return (await Promise.all(portions)).flat().map(fromAttendedRow);
    },
    attendedRunOf: async (session) => orNull(await db.attendedRun.findUnique({ where: { session } }), fromAttendedRow),
    attendedRunIds: async () => {
      const rows = await db.attendedRun.findMany({ select: { runId: true }, orderBy: { runId: 'asc' } });
      return rows.map(({ runId }) => runId);
    },
  };
}
