/** Writes that went out: what the pace goes by. */
import { nextWriteAt, PACE_WINDOW_MS } from '../../../core/pace.ts';
import type { Clock, Outbox } from '../../../engine/ports.ts';
import type { Tables } from '../database.ts';

export function makePace(tables: Tables, now: Clock): Pick<Outbox, 'admit' | 'pause'> {
  const { sentWrites, pauses } = tables;
  return {
    admit: async (scope, pace) => {
      const time = now();
      // What lies ahead was noted before the clock was set back.
      const counts = (at: Date) => at <= time && time.getTime() - at.getTime() < PACE_WINDOW_MS;
      const sent = (sentWrites.get(scope) ?? []).filter(counts);
      const pause = pauses.get(scope);
      const free = pause !== undefined && pause > time ? pause : nextWriteAt(sent, pace, time);
      const admitted = free <= time;
      const noted = admitted ? [...sent, time] : sent;
      tables.put(sentWrites, scope, noted);
      return { admitted, freeAt: admitted ? nextWriteAt(noted, pace, time) : new Date(free) };
    },
    pause: async (scope, ms) => {
      const until = new Date(now().getTime() + ms);
      const known = pauses.get(scope);
      if (known === undefined || known < until) tables.put(pauses, scope, until);
    },
  };
}
