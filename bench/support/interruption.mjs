// Being told to stop, or losing the reader of the output, ends a measurement in order: what it started is ended too.

/** Settles as `work` does, or rejects when the benchmark is interrupted. */
export async function unlessInterrupted(work) {
  let interrupt;
  const interruption = new Promise((_, reject) => {
    interrupt = () => reject(new Error('interrupted'));
  });
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  for (const signal of signals) process.on(signal, interrupt);
  process.stdout.on('error', interrupt);
  try {
    return await Promise.race([work, interruption]);
  } finally {
    for (const signal of signals) process.off(signal, interrupt);
    process.stdout.off('error', interrupt);
  }
}
