/**
 * Since when an agent gives no answer. While it is silent one call at a time finds out whether it is back; others don't wait for
 * that, so that its silence holds up nobody's work but its own.
 */
import type { Clock, Logger } from '../../engine/ports/environment.ts';
import { RunnerUnreachable } from '../../engine/ports/runner.ts';

export interface Silence {
  /** null: it answers, or was not asked yet. */
  current(): { since: Date; reason: string } | null;
  /** Makes the call, or says at once that there is no answer. */
  call<T>(ask: () => Promise<T>): Promise<T>;
  /**
   * A call that takes nobody's place, such as one that waits for news. Once it is not wanted any more, its end says nothing. News alone
   * are no sign that the agent can say anything of its runs: they end no silence but their own.
   */
  listen<T>(ask: () => Promise<T>, ended?: AbortSignal): Promise<T>;
}

export function watchSilence({ name, log, now }: { name: string; log: Logger; now: Clock }): Silence {
  let silent: { since: Date; reason: string } | null = null;
  let isOfCalls = false;
  let trials = 0;

  function noteAnswer(): void {
    if (silent !== null) log.info({ runner: name, silent_since: silent.since }, 'agent answers again');
    silent = null;
    isOfCalls = false;
  }

  function noteSilence(error: unknown): void {
    const reason = (error as Error).message;
    if (silent === null) log.warn({ runner: name, reason }, 'agent gives no answer');
    silent = { since: silent?.since ?? now(), reason };
  }

  return {
    current: () => silent,
    async listen(ask, ended) {
      try {
        const news = await ask();
        if (!isOfCalls) noteAnswer();
        return news;
      } catch (error) {
        if (!ended?.aborted) noteSilence(error);
        throw error;
      }
    },
    async call(ask) {
      if (silent !== null && trials > 0) throw new RunnerUnreachable(silent.reason);
      trials += 1;
      try {
        const answer = await ask();
        noteAnswer();
        return answer;
      } catch (error) {
        isOfCalls = true;
        noteSilence(error);
        throw error;
      } finally {
        trials -= 1;
      }
    },
  };
}
