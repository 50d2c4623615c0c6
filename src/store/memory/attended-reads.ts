import type { AttendedReads } from '../../engine/ports.ts';
import { copyOrNull, type Tables } from './database.ts';

export function makeAttendedReads({ attended }: Tables): AttendedReads {
  return {
    attendedRuns: async (runIds) => runIds.flatMap((id) => copyOrNull(attended.get(id)) ?? []),
    attendedRunOf: async (session) => copyOrNull([...attended.values()].find((one) => one.session === session)),
    attendedRunIds: async () => [...attended.keys()].sort(),
  };
}
