/** From start to exit code: signals, orderly end, forced end. Runs are left alive for the next start to adopt. */
import type { Logger } from '../engine/ports.ts';

export interface Stoppable {
  close(): Promise<void>;
}

const SIGNALS = ['SIGTERM', 'SIGINT'] as const;
const EXIT_OF_SIGNAL = { SIGTERM: 143, SIGINT: 130 } as const;

export interface Lifecycle {
  /** Ends the process in order, as a signal would; the exit code tells that something failed. */
  fail(error: Error): void;
  /** Resolves with the exit code once everything is closed. */
  done: Promise<number>;
}

/** The first signal ends in order; a second one ends at once. `app` may still be starting. */
export function untilSignalled(app: Promise<Stoppable>, log: Logger): Lifecycle {
  const { promise: done, resolve } = makePromise<number>();
  let ending = false;

  async function end(code: number): Promise<void> {
    ending = true;
    try {
      await (await app).close();
      resolve(code);
    } catch (error) {
      log.error({ err: error }, 'not closed in order');
      resolve(1);
    }
  }

  for (const signal of SIGNALS) {
    process.on(signal, () => {
      if (ending) process.exit(EXIT_OF_SIGNAL[signal]);
      log.info({ signal }, 'stopping; living runs go on');
      void end(0);
    });
  }
  return {
    fail(error) {
      log.error({ err: error }, 'ending because of a failure');
      if (!ending) void end(1);
    },
    done,
  };
}

function makePromise<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve!: (value: T) => void;
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
