/** Ctrl-C while a batch is looked on at: the looking ends, and the batch goes on. */
import type { Context } from './context.ts';
import { CliError, EXIT } from './exit.ts';

/** `looking` is what ends, e.g. `waiting for`. */
export async function untilInterrupted<T>(
  context: Context,
  { id, looking }: { id: string; looking: string },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const interrupt = new AbortController();
  const forget = context.onInterrupt(() => interrupt.abort());
  try {
    return await work(interrupt.signal);
  } catch (error) {
    if (!interrupt.signal.aborted) throw error;
    throw new CliError(EXIT.interrupted, 'interrupted', `no longer ${looking} the batch ${id}; it goes on`);
  } finally {
    forget();
  }
}
