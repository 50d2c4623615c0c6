import type { JournalEvent } from '../../../engine/ports.ts';
import type { Tables } from '../database.ts';

/** All of them, or, where one can't be kept, none. */
export function appendEvents({ journal }: Tables, events: readonly JournalEvent[]): void {
  for (const event of events.map(asKept)) {
    journal.newestId += 1;
    journal.events.push({ id: journal.newestId, ...event });
  }
}

/** Data is what JSON keeps of it, as in a database. */
function asKept({ data, ...place }: JournalEvent): JournalEvent {
  return { ...structuredClone(place), data: JSON.parse(JSON.stringify(data)) };
}
