/**
 * How many calls of an agent may hold somebody up. As long as answers come, all of them may; where none has come for a while, the few
 * that were first go on waiting, and the others are told that there is none: a silent agent must not take the places of the app's
 * other work. Each kind of call has places of its own, so that a cancel gets through while looks or starts hang. One that has never
 * answered yet has no more than these few from the first call on: nobody knows that it ever will.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { RunnerUnreachable } from '../../engine/ports/runner.ts';
import { Refused } from './refused.ts';

/** `look`: what it can say of its runs. */
export type Kind = 'look' | 'start' | 'cancel' | 'other';

/** Of each kind, once answers have stopped coming, or before the first has come. */
const FEW = 2;
/** So long the others wait for that first one, in ms: it is there at once where all is well, as when an app has just started. */
const FIRST_MS = 250;
/** When an answer stops being soon, in ms: a KILL may take two seconds, and a start what its machine needs for it. */
const SOON_MS: Readonly<Record<Kind, number>> = { look: 1_000, start: 3_000, cancel: 3_000, other: 1_000 };

/** Nothing was heard about this call, and nothing follows from that for the agent: others still wait for its answer. */
export class GivenUp extends RunnerUnreachable {
  constructor() {
    super('no answer yet, and others wait for one');
  }
}

export interface Places {
  /** Makes the call; its signal ends it where it is given up. Throws `GivenUp` then, or at once where that would follow. */
  hold<T>(kind: Kind, ask: (signal: AbortSignal) => Promise<T>): Promise<T>;
}

export function makePlaces(): Places {
  const first = new AbortController();
  const makeLaneOf = (kind: Kind) => makeLane(SOON_MS[kind], () => first.abort());
  const lanes = {
    look: makeLaneOf('look'),
    start: makeLaneOf('start'),
    cancel: makeLaneOf('cancel'),
    other: makeLaneOf('other'),
  };
  return {
    async hold(kind, ask) {
      const lane = lanes[kind];
      if (lane.isFull() && !first.signal.aborted) await unlessAborted(FIRST_MS, first.signal);
      // Whoever says nothing of its runs is not asked for much of anything. Only cancels don't wait for that: where each of them is
      // answered, looks that take long are no reason to stop a hundred runs two at a time.
      const isAway = lane.isQuiet() || (kind !== 'cancel' && lanes.look.isQuiet());
      if (lane.isFull() && (isAway || !first.signal.aborted)) throw new GivenUp();
      return lane.hold(ask);
    },
  };
}

function unlessAborted(ms: number, signal: AbortSignal): Promise<unknown> {
  return delay(ms, null, { signal, ref: false }).catch(() => {});
}

function makeLane(soonMs: number, onAnswer: () => void) {
  /** When each began, the oldest first. */
  const inFlight = new Map<AbortController, number>();
  let heardAt = Number.NEGATIVE_INFINITY;

  function isQuiet(): boolean {
    const [oldest] = inFlight.values();
    return oldest !== undefined && performance.now() - Math.max(oldest, heardAt) >= soonMs;
  }

  function look(call: AbortController): void {
    if (isQuiet() && ![...inFlight.keys()].slice(0, FEW).includes(call)) call.abort();
  }

  function noteAnswer(): void {
    heardAt = performance.now();
    onAnswer();
  }

  return {
    isFull: () => inFlight.size >= FEW,
    isQuiet,
    async hold<T>(ask: (signal: AbortSignal) => Promise<T>): Promise<T> {
      const call = new AbortController();
      inFlight.set(call, performance.now());
      const timer = setInterval(() => look(call), soonMs / 2);
      try {
        const answer = await ask(call.signal);
        noteAnswer();
        return answer;
      } catch (error) {
        if (call.signal.aborted) throw new GivenUp();
        if (error instanceof Refused) noteAnswer();
        throw error;
      } finally {
        clearInterval(timer);
        inFlight.delete(call);
      }
    },
  };
}
