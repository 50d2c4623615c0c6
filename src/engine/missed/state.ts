/** How it stands with deliveries that did not arrive. Asks nobody but the store. */
import type { Deps } from '../deps.ts';
import type { MissedDelivery } from '../ports.ts';
import { notedRefusal, notedTime } from './memory.ts';

export interface MissedState {
  /** Of those that are not forgotten yet. */
  counts: Readonly<Record<MissedDelivery['state'], number>>;
  /** When GitHub tried to deliver the oldest one that is still missed. */
  oldestMissedAt: Date | null;
  gaveUpAt: Date | null;
  /** null: GitHub never told. */
  lookedAt: Date | null;
  /** Why GitHub doesn't tell; null: it does, or was not asked. */
  refusal: string | null;
}

export async function missedState({ store }: Pick<Deps, 'store'>): Promise<MissedState> {
  const [oldest] = await store.missedDeliveries('missed', 1);
  return {
    counts: await store.countMissed(),
    oldestMissedAt: oldest?.deliveredAt ?? null,
    gaveUpAt: await notedTime(store, 'gaveUpAt'),
    lookedAt: await notedTime(store, 'lookedAt'),
    refusal: await notedRefusal(store),
  };
}
