/** What ends the demo early: Ctrl-C and the like, a terminal that is gone, its own deadline. A second signal doesn't wait. */

const EXIT_OF_SIGNAL = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;
type Signal = keyof typeof EXIT_OF_SIGNAL;
const SIGNALS = Object.keys(EXIT_OF_SIGNAL) as Signal[];

interface Interruption {
  /** Its reason is an error that says what came. */
  signal: AbortSignal;
  /** null: no signal came. */
  exitCode(): number | null;
  /** From here on signals have their usual effect. */
  dispose(): void;
}

/** `deadlineMs`: null where it has none. `atOnce` is called before a second signal ends this process. */
export function awaitInterruption(deadlineMs: number | null, atOnce: () => void): Interruption {
  const aborting = new AbortController();
  let exitCode: number | null = null;
  const abort = (why: string) => aborting.abort(new Error(why));
  const onSignal = (name: Signal) => {
    if (exitCode !== null) {
      try {
        atOnce();
      } finally {
        process.exit(exitCode);
      }
    }
    exitCode = EXIT_OF_SIGNAL[name];
    abort(`interrupted by ${name}`);
  };
  // Nobody reads any more, e.g. `| head`: without a listener the error would end this process before it has cleaned up.
  const onOutputError = () => abort('the output was closed');
  const timer =
    deadlineMs === null
      ? undefined
      : setTimeout(() => abort(`it took longer than ${deadlineMs / 1_000} s`), deadlineMs);
  for (const name of SIGNALS) process.on(name, onSignal);
  process.stdout.on('error', onOutputError);
  return {
    signal: aborting.signal,
    exitCode: () => exitCode,
    dispose() {
      clearTimeout(timer);
      for (const name of SIGNALS) process.off(name, onSignal);
    },
  };
}
