/** For how long things are kept. */
import type { Deps } from '../deps.ts';

/** In days. */
export interface KeptDays {
  /** Deliveries, comments that are answered, and deliveries that did not arrive. */
  deliveriesDays: number;
  /** What is on disk of a run that has ended: its log above all. */
  logsDays: number;
  eventsDays: number;
}

export const DEFAULT_KEPT_DAYS: KeptDays = Object.freeze({ deliveriesDays: 14, logsDays: 30, eventsDays: 365 });

/** GitHub sends again what is up to 3 days old: until then it has to be known that it was here. */
const FEWEST_DELIVERIES_DAYS = 4;

const DAY_MS = 86_400_000;

export function keptDays({ retention = DEFAULT_KEPT_DAYS }: Pick<Deps, 'retention'>): KeptDays {
  const { deliveriesDays, logsDays, eventsDays } = retention;
  return { deliveriesDays: Math.max(deliveriesDays, FEWEST_DELIVERIES_DAYS), logsDays, eventsDays };
}

export function daysBefore(now: Date, days: number): Date {
  return new Date(now.getTime() - days * DAY_MS);
}
