/** Whoever attends a task, without a process: as another host is for the app. */
import { randomUUID } from 'node:crypto';

export interface Attendant {
  session: string;
  [field: string]: unknown;
}

/** The body of a claim. */
export function anAttendant(more: Record<string, unknown> = {}): Attendant {
  return {
    ...{ session: randomUUID(), host: 'elsewhere', boot: randomUUID(), pid_namespace: '4026531836' },
    ...{ pid: 4711, start: '12345' },
    ...more,
  };
}
