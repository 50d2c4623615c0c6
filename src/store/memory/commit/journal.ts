import type { JournalEvent } from '../../../engine/ports.ts';

/** Data is what JSON keeps of it, as in a database. */
export function asKept({ data, ...place }: JournalEvent): JournalEvent {
  return { ...structuredClone(place), data: JSON.parse(JSON.stringify(data)) };
}
