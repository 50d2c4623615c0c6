/** The journal as the app tells it, page by page: where it ends now, and what came after an event that was seen. */
import type { Client } from '../client.ts';
import { type EventView, eventView, pageOf, understand } from '../views.ts';

export const PAGE_SIZE = 100;

export interface JournalPage {
  events: readonly EventView[];
  /** To go on after; null: nothing was ever journalled. */
  next: string | null;
}

export async function readJournal(client: Client, after: string | null, limit = PAGE_SIZE): Promise<JournalPage> {
  const from = after === null ? '' : `&after=${encodeURIComponent(after)}`;
  const page = understand(pageOf(eventView), await client.request('GET', `/events?limit=${limit}${from}`));
  return { events: page.items, next: page.next };
}

/** The newest event's id. null: there is none. */
export async function journalEnd(client: Client): Promise<string | null> {
  return (await readJournal(client, 'latest', 1)).next;
}
