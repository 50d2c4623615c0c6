import type { AttendedEnd, AttendedRun } from '../../core/attended.ts';
import type { AttendedRun as AttendedRow } from '../generated/sqlite/client.ts';
import { fromJson, fromJsonOrNull, pickGiven, toJson, toJsonOrNull, withDate } from './columns.ts';

export function toAttendedRow({ attendant, end, ...run }: AttendedRun): AttendedRow {
  return { ...run, attendant: toJson(attendant), end: toJsonOrNull(end) };
}

export function toAttendedChange(
  set: Partial<Pick<AttendedRun, 'heardAt' | 'phase' | 'order' | 'sent' | 'end'>>,
): Partial<AttendedRow> {
  return pickGiven(toAttendedRow(set as AttendedRun), set);
}

export function fromAttendedRow(row: AttendedRow): AttendedRun {
  const end = fromJsonOrNull<AttendedEnd>(row.end);
  return {
    ...row,
    attendant: fromJson<AttendedRun['attendant']>(row.attendant),
    phase: row.phase as AttendedRun['phase'],
    order: row.order as AttendedRun['order'],
    sent: row.sent as AttendedRun['sent'],
    end: end && withDate(end),
  };
}
