/** Hears from an agent which runs may have changed, as long as somebody listens. A hint that is lost costs latency only. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Changes } from '../../core/agent.ts';

const MAX_PAUSE_MS = 2_000;
/** Who has no news and does not wait for any, as an agent that is closing, is not asked again at once. */
const NO_NEWS_MS = 250;
/** Each is looked at: who has news without end must not keep us from everything else. */
const MS_OF_NEWS = 2;

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
        const askedAt = performance.now();
        const changes = await ask(after, signal);
        const news = new Set(changes.run_ids);
        const idleMs = after === null || news.size > 0 ? 0 : askedAt + NO_NEWS_MS - performance.now();
        after = changes.next;
        failures = 0;
        for (const runId of news) for (const listener of listeners) listener(runId);
        const pauseMs = Math.max(idleMs, news.size * MS_OF_NEWS);
        if (pauseMs > 0) await pause(pauseMs, signal);
      } catch {
        failures += 1;
        await pause(Math.min(MAX_PAUSE_MS, 250 * 2 ** failures), signal);
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

function pause(ms: number, signal: AbortSignal): Promise<unknown> {
  return delay(ms, null, { signal, ref: false }).catch(() => {});
}
