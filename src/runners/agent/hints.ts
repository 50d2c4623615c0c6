/** Hears from an agent which runs may have changed, as long as somebody listens. A hint that is lost costs latency only. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Changes } from '../../core/agent.ts';

const MAX_PAUSE_MS = 2_000;

export interface Hints {
  subscribe(listener: (runId: string) => void): () => void;
  close(): void;
}

/** `ask` waits for what came after that cursor. */
export function makeHints(ask: (after: string | null, ended: AbortSignal) => Promise<Changes>): Hints {
  const listeners = new Set<(runId: string) => void>();
  let listening: AbortController | null = null;

  async function listen({ signal }: AbortController): Promise<void> {
    let after: string | null = null;
    for (let failures = 0; !signal.aborted; ) {
      try {
        const changes = await ask(after, signal);
        after = changes.next;
        failures = 0;
        for (const runId of changes.run_ids) for (const listener of listeners) listener(runId);
      } catch {
        failures += 1;
        await delay(Math.min(MAX_PAUSE_MS, 250 * 2 ** failures), null, { signal, ref: false }).catch(() => {});
      }
    }
  }

  function stop(): void {
    listening?.abort();
    listening = null;
  }

  return {
    subscribe(listener) {
      listeners.add(listener);
      if (listening === null) {
        listening = new AbortController();
        void listen(listening);
      }
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0) stop();
      };
    },
    close() {
      listeners.clear();
      stop();
    },
  };
}
