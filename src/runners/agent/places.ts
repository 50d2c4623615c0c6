/**
 * How many calls of an agent may hold somebody up. As long as answers come, all of them may; where none has come for a while, the few
 * that were first go on waiting, and the others are told that there is none: a silent agent must not take the places of the app's
 * other work. Each kind of call has places of its own, so that a cancel gets through while looks or starts hang.
 */
import { RunnerUnreachable } from '../../engine/ports/runner.ts';
import { Refused } from './refused.ts';

/** `look`: what it can say of its runs. */
export type Kind = 'look' | 'start' | 'cancel' | 'other';

/** Of each kind, once answers have stopped coming. */
const FEW = 2;
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
  const lanes = {
    look: makeLane(SOON_MS.look),
    start: makeLane(SOON_MS.start),
    cancel: makeLane(SOON_MS.cancel),
    other: makeLane(SOON_MS.other),
  };
  return {
    async hold(kind, ask) {
      const lane = lanes[kind];
      // Whoever says nothing of its runs is not asked for much of anything. Only cancels don't wait for that: where each of them is
      // answered, looks that take long are no reason to stop a hundred runs two at a time.
      const isAway = lane.isQuiet() || (kind !== 'cancel' && lanes.look.isQuiet());
      if (lane.isFull() && isAway) throw new GivenUp();
      return lane.hold(ask);
    },
  };
}

function makeLane(soonMs: number) {
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

  return {
    isFull: () => inFlight.size >= FEW,
    isQuiet,
    async hold<T>(ask: (signal: AbortSignal) => Promise<T>): Promise<T> {
      const call = new AbortController();
      inFlight.set(call, performance.now());
      const timer = setInterval(() => look(call), soonMs / 2);
      try {
        const answer = await ask(call.signal);
        heardAt = performance.now();
        return answer;
      } catch (error) {
        if (call.signal.aborted) throw new GivenUp();
        if (error instanceof Refused) heardAt = performance.now();
        throw error;
      } finally {
        clearInterval(timer);
        inFlight.delete(call);
      }
    },
  };
}
