/** An attended issue in words. Pure. */
import { CLOSED } from '../../core/report/stop.ts';
import type { IssueReading } from '../../engine/ports.ts';

/** What became of it, e.g. `closed as completed by ann`; null: it is open. */
export function endOf(reading: IssueReading): string | null {
  switch (reading.found) {
    case 'deleted':
      return 'deleted';
    case 'transferred':
      return reading.to === null ? 'transferred to another repository' : `transferred: it is ${reading.to} now`;
    case 'issue': {
      const { state, reason, actor } = reading.issue;
      if (state === 'open') return null;
      return actor === null ? CLOSED[reason] : `${CLOSED[reason]} by ${actor}`;
    }
  }
}

export function processes(count: number): string {
  return count === 1 ? '1 process' : `${count} processes`;
}
