/**
 * What is done about a run whose row has ended and of which its runner shows something alive: TERM, its grace, KILL, until it is seen
 * gone. All that is remembered is in the row: a TERM that is younger than the run's end is the orphan's, and one that a person disregarded
 * was not seen gone at its end. Pure.
 */
import { isLive, type Probe, type Run } from '../run.ts';
import { KILL_AGAIN_MS, SURVIVOR_MS } from './limits.ts';

export type OrphanStep =
  /** It is wanted, or there is nothing to end. */
  | { step: 'leave' }
  | { step: 'signal'; mode: 'term' | 'kill'; lookAgainAt: Date }
  | { step: 'look_again'; at: Date }
  /** What was an orphan is seen gone. */
  | { step: 'gone' };

/** How often one that was sent TERM is looked at. */
const RECHECK_MS = 1_000;
/** What KILL does not end within a minute is a matter for people, and shown to them. */
const SELDOM_MS = 60_000;

export function planOrphan(
  run: Run,
  probe: Probe,
  { graceSeconds, now }: { graceSeconds: number; now: Date },
): OrphanStep {
  const isWanted: boolean = isLive(run);
  if (isWanted) return { step: 'leave' };
  if (!isAlive(probe)) return isPursued(run) || isUnseen(run) ? endOf(probe, now) : { step: 'leave' };
  if (!isPursued(run) || run.termAt === null) {
    return { step: 'signal', mode: 'term', lookAgainAt: after(now, Math.min(graceSeconds * 1_000, RECHECK_MS)) };
  }
  const killFrom = after(run.termAt, graceSeconds * 1_000);
  // A TERM that lies ahead was noted before the clock was set back: nothing waits for it.
  if (run.termAt <= now && now < killFrom) {
    return { step: 'look_again', at: new Date(Math.min(killFrom.getTime(), after(now, RECHECK_MS).getTime())) };
  }
  const lasts = now.getTime() - killFrom.getTime();
  return { step: 'signal', mode: 'kill', lookAgainAt: after(now, lasts > SURVIVOR_MS ? SELDOM_MS : KILL_AGAIN_MS) };
}

/** Of a run that has ended: whether it was sent TERM after that, or left something behind at that, and was not seen gone since. */
export function isPursued({ termAt, killAt, goneAt }: Run): boolean {
  return goneAt === null ? (termAt ?? killAt) !== null : termAt !== null && termAt > goneAt;
}

/** Lost, and never seen gone since. */
export function isUnseen({ state, goneAt }: Pick<Run, 'state' | 'goneAt'>): boolean {
  return state === 'lost' && goneAt === null;
}

export function isAlive(probe: Probe): boolean {
  switch (probe.state) {
    case 'running':
      return true;
    case 'exited':
    case 'vanished':
      return probe.survivors.length > 0;
    default:
      return false;
  }
}

/** One of which nothing lives, and of which nothing can begin any more. */
export function isOver(probe: Probe): boolean {
  return probe.state === 'exited' || probe.state === 'vanished'
    ? probe.survivors.length === 0
    : probe.state === 'voided';
}

/** What can't be read, or might yet begin, is not gone; of what its runner has no record, nobody sees that. It may come back. */
function endOf(probe: Probe, now: Date): OrphanStep {
  if (isOver(probe)) return { step: 'gone' };
  return probe.state === 'no_record' ? { step: 'leave' } : { step: 'look_again', at: after(now, SELDOM_MS) };
}

function after(date: Date, ms: number): Date {
  return new Date(date.getTime() + ms);
}
