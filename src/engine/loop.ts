/** A loop that runs when it is woken, when its own answer says so, and every half second at the latest; never twice at once. */
import { makeAlarm } from './alarm.ts';
import type { Clock, Logger } from './ports.ts';

const POLL_MS = 500;

export interface Loop {
  /** Runs now, or then where a later time is given. */
  wake(dueAt?: Date): void;
  /** Resolves when the round in hand is over; no other one begins. */
  stop(): Promise<void>;
}

export interface LoopOptions {
  name: string;
  log: Logger;
  clock: Clock;
  /** When to run again; null: when woken or polled. */
  run(): Promise<Date | null>;
}

export function startLoop({ name, log, clock, run }: LoopOptions): Loop {
  let stopped = false;
  let running: Promise<void> | null = null;
  let again = false;
  let poll: NodeJS.Timeout | undefined;
  const alarm = makeAlarm(clock, () => wake());

  function wake(dueAt?: Date): void {
    if (stopped) return;
    if (dueAt !== undefined && dueAt > clock()) {
      alarm.setFor(dueAt);
      return;
    }
    if (running !== null) {
      again = true;
      return;
    }
    again = false;
    running = round().finally(() => {
      running = null;
      if (again) wake();
    });
  }

  async function round(): Promise<void> {
    clearTimeout(poll);
    try {
      const next = await run();
      if (next !== null) wake(next);
    } catch (error) {
      log.error({ loop: name, err: error }, 'loop failed');
    }
    if (!stopped) poll = setTimeout(wake, POLL_MS);
  }

  wake();
  return {
    wake,
    async stop() {
      stopped = true;
      clearTimeout(poll);
      alarm.clear();
      await running;
    },
  };
}
