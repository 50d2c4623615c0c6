import type { Tables } from '../database.ts';
import { earlier, NEVER_HELD } from '../lease.ts';

/** Due at the earlier of both times, where the key is there already; while it is held, it is due again afterwards. */
export function enqueueKey(tables: Tables, key: string, dueAt: Date): void {
  const known = tables.keys.get(key);
  if (known === undefined)
    tables.put(tables.keys, key, { key, dueAt, failures: 0, lastError: null, failingSince: null, ...NEVER_HELD });
  else if (known.leaseUntil === null) tables.put(tables.keys, key, { ...known, dueAt: earlier(known.dueAt, dueAt) });
  else tables.put(tables.keys, key, { ...known, askedAgain: earlier(known.askedAgain, dueAt) });
}
