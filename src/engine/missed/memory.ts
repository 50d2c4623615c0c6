/** What the looks at GitHub's deliveries keep between each other, and across restarts. */
import type { Store, Write } from '../ports.ts';

const NAMES = {
  /** How far attempts were seen, by GitHub's clock. */
  seenUntil: 'hook',
  /** When GitHub told last. */
  lookedAt: 'hook.looked_at',
  /** When a delivery was given up last. */
  gaveUpAt: 'hook.gave_up_at',
  /** Why GitHub doesn't tell; empty: it does. */
  refusal: 'hook.refusal',
} as const;

type Noted = keyof typeof NAMES;

export function note(what: Exclude<Noted, 'refusal'>, value: Date, at: Date): Write {
  return { write: 'cursor.put', name: NAMES[what], value: value.toISOString(), at };
}

export function noteRefusal(refusal: string | null, at: Date): Write {
  return { write: 'cursor.put', name: NAMES.refusal, value: refusal ?? '', at };
}

export async function notedTime(store: Pick<Store, 'cursor'>, what: Exclude<Noted, 'refusal'>): Promise<Date | null> {
  const time = Date.parse((await store.cursor(NAMES[what])) ?? '');
  return Number.isNaN(time) ? null : new Date(time);
}

export async function notedRefusal(store: Pick<Store, 'cursor'>): Promise<string | null> {
  return (await store.cursor(NAMES.refusal)) || null;
}
