/** Which installations may not be written to just now, as the store told last: saves claiming what can't be sent. The store decides. */
import type { Clock } from '../ports.ts';

export interface Pauses {
  /** Nothing goes out before that time. */
  set(scope: string, until: Date): void;
  /** Scopes that are paused now. */
  scopes(): readonly string[];
  /** When the first pause ends; null: there is none. */
  next(): Date | null;
}

export function makePauses(clock: Clock): Pauses {
  const pauses = new Map<string, { since: Date; until: Date }>();

  /** A clock that was set back makes a pause longer than it was meant: the store is asked again. */
  function drop(): void {
    const now = clock();
    for (const [scope, { since, until }] of pauses) if (until <= now || now < since) pauses.delete(scope);
  }

  return {
    set(scope, until) {
      pauses.set(scope, { since: clock(), until });
    },
    scopes() {
      drop();
      return [...pauses.keys()];
    },
    next() {
      drop();
      const ends = [...pauses.values()].map(({ until }) => until.getTime());
      return ends.length === 0 ? null : new Date(Math.min(...ends));
    },
  };
}
