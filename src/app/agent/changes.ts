/** Tells apps which runs may have changed, as it happens: each asks for what came after the last that it heard of. */
import { type Changes, MOST_CHANGES } from '../../core/agent.ts';

const WAIT_MS = 25_000;

export interface ChangeFeed {
  add(runId: string): void;
  /** Who asks after nothing, or after what is no more known here, is told from where to ask on. */
  after(cursor: string | null, ended: AbortSignal): Promise<Changes>;
}

/** `instance`: a cursor of another process says nothing here. */
export function makeChangeFeed(instance: string): ChangeFeed {
  let kept: string[] = [];
  let first = 0;
  const waiting = new Set<() => void>();

  const next = (): string => `${instance}.${first + kept.length}`;

  function position(cursor: string | null): number | null {
    const number = cursor?.startsWith(`${instance}.`) ? Number(cursor.slice(instance.length + 1)) : Number.NaN;
    return Number.isInteger(number) && number >= first && number <= first + kept.length ? number : null;
  }

  function untilMore(ended: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const go = (): void => {
        clearTimeout(timer);
        waiting.delete(go);
        ended.removeEventListener('abort', go);
        resolve();
      };
      const timer = setTimeout(go, WAIT_MS);
      waiting.add(go);
      ended.addEventListener('abort', go);
      if (ended.aborted) go();
    });
  }

  return {
    add(runId) {
      kept.push(runId);
      if (kept.length > MOST_CHANGES) {
        first += kept.length - MOST_CHANGES;
        kept = kept.slice(-MOST_CHANGES);
      }
      for (const go of [...waiting]) go();
    },
    async after(cursor, ended) {
      const from = position(cursor);
      if (from === null) return { next: next(), run_ids: [] };
      if (from === first + kept.length) await untilMore(ended);
      return { next: next(), run_ids: [...new Set(kept.slice(Math.max(0, from - first)))] };
    },
  };
}
