/**
 * A signal that aborts with the first of these that does, for as long as the work takes. `AbortSignal.any` would leave something of
 * each call at a signal that outlives it (Node.js 20): to be used wherever one of them lives as long as the app.
 */
export async function withAnyOf<T>(
  signals: readonly (AbortSignal | undefined)[],
  work: (first: AbortSignal) => Promise<T>,
): Promise<T> {
  const first = new AbortController();
  const listeners = signals.flatMap((signal) => {
    if (signal === undefined) return [];
    const abort = () => first.abort(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort);
    return [() => signal.removeEventListener('abort', abort)];
  });
  try {
    return await work(first.signal);
  } finally {
    for (const letGo of listeners) letGo();
  }
}
