/** Says that a run may have changed. A hint that is lost costs latency only: whoever listens also asks by itself. */
import { type FSWatcher, watch } from 'node:fs';
import { join } from 'node:path';

export interface Hints {
  /** The run's supervisor is gone. */
  ended(runId: string): void;
  subscribe(listener: (runId: string) => void): () => void;
  /** Hears of the exit's record: a little earlier than of the supervisor's end, and also where that is no child of ours. */
  watchRun(runId: string): void;
  /** There is nothing to hear of it any more. */
  forget(runId: string): void;
  close(): void;
}

export function makeHints(runs: string): Hints {
  const listeners = new Set<(runId: string) => void>();
  const watchers = new Map<string, FSWatcher>();
  const forget = (runId: string): void => {
    watchers.get(runId)?.close();
    watchers.delete(runId);
  };
  const ended = (runId: string): void => {
    forget(runId);
    for (const listener of listeners) listener(runId);
  };
  return {
    ended,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    watchRun(runId) {
      if (watchers.has(runId)) return;
      try {
        const watcher = watch(join(runs, runId), { persistent: false }, (_, name) => {
          if (name === 'exit') ended(runId);
        });
        // Watches are few on some machines.
        watcher.on('error', () => forget(runId));
        watchers.set(runId, watcher);
      } catch {
        // As above: hints are a convenience.
      }
    },
    forget,
    close() {
      listeners.clear();
      for (const runId of [...watchers.keys()]) forget(runId);
    },
  };
}
