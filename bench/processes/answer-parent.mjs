// The child's end of the conversation with the benchmark: tells its address, then answers questions until it is let go.

/** Milliseconds since the epoch, with fractions, on one clock for all processes of this machine. */
export function now() {
  return performance.timeOrigin + performance.now();
}

/**
 * @param {string | null} url null: nobody calls it
 * @param {Record<string, (input?: any) => unknown>} answers `close` is asked last, and ends the process.
 */
export function answerParent(url, answers) {
  process.on('message', async ({ id, question, input }) => {
    try {
      const value = await answers[question](input);
      process.send({ id, value }, () => {
        if (question === 'close') process.exit(0);
      });
    } catch (error) {
      process.send({ id, error: String(error) });
    }
  });
  // Whatever ends the benchmark ends its processes.
  process.on('disconnect', () => process.exit(1));
  process.send({ url });
}
