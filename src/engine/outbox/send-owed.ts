/**
 * Sends what is owed to GitHub: the only writer, one message at a time. How often it may write is the store's to say, which counts
 * for all apps of one database.
 */

import { send } from './send.ts';
import { type Sender, writerOf } from './sender.ts';

const LEASE_MS = 60_000;

/** All that can go out now. Returns when to look again; null: when something becomes due. */
export async function sendOwed(sender: Sender): Promise<Date | null> {
  const { deps, owner, pauses } = sender;
  const github = writerOf(deps);
  if (github === null) return null;
  for (;;) {
    const [lease] = await deps.store.outbox.claim(owner, 1, LEASE_MS, pauses.scopes());
    if (lease === undefined) return pauses.next();
    await send(sender, github, lease);
  }
}
