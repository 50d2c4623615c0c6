/**
 * Since when an agent gives no answer. While it is silent one call at a time finds out whether it is back, and one cancel beside it;
 * others don't wait for that, so that its silence holds up nobody's work but its own. One that answers that it can't do something is
 * not silent, unless it can't say anything of its runs.
 */
import type { Clock, Logger } from '../../engine/ports/environment.ts';
import { RunnerUnreachable } from '../../engine/ports/runner.ts';
import { GivenUp, type Kind, makePlaces } from './places.ts';
import { Refused } from './refused.ts';

export interface Silence {
  /** null: it answers, or was not asked yet. */
  current(): { since: Date; reason: string } | null;
  /** Whether any call was answered. */
  heard(): boolean;
  /** Makes the call, or says at once that there is no answer. The signal ends what is not to be waited for any more. */
  call<T>(kind: Kind, ask: (signal: AbortSignal) => Promise<T>): Promise<T>;
  /**
   * A call that takes nobody's place, such as one that waits for news. Once it is not wanted any more, its end says nothing.
   */
  listen<T>(ask: () => Promise<T>, ended?: AbortSignal): Promise<T>;
}

/**
 * What was not answered, by how much an answer to it says: news are no sign that orders are taken, and neither of them that anything can
 * be said of runs. A silence ends with an answer that says as much as what began it.
 */
const WEIGHT = { news: 0, order: 1, look: 2 } as const;
type Weight = (typeof WEIGHT)[keyof typeof WEIGHT];

export interface SilenceOptions {
  name: string;
  log: Logger;
  now: Clock;
  /** Since when an app before this one had no answer; null: it had one. */
  silentSince: Date | null;
}

const BEFORE = 'it had given no answer before this app started';

export function watchSilence({ name, log, now, silentSince }: SilenceOptions): Silence {
  let silent: { since: Date; reason: string; weight: Weight } | null = silentSince && {
    since: silentSince,
    reason: BEFORE,
    weight: WEIGHT.look,
  };
  let heard = false;
  const places = makePlaces();
  const trials = { cancels: 0, others: 0 };

  function noteAnswer(weight: Weight): void {
    if (silent === null || weight < silent.weight) return;
    log.info({ runner: name, silent_since: silent.since }, 'agent answers again');
    silent = null;
  }

  function noteSilence(weight: Weight, error: unknown): void {
    const reason = (error as Error).message;
    if (silent === null) log.warn({ runner: name, reason }, 'agent gives no answer');
    const { since, weight: before } = silent ?? { since: now(), weight };
    silent = { since, reason, weight: before > weight ? before : weight };
  }

  return {
    current: () => silent && { since: silent.since, reason: silent.reason },
    heard: () => heard,
    async listen(ask, ended) {
      try {
        const news = await ask();
        noteAnswer(WEIGHT.news);
        return news;
      } catch (error) {
        if (!ended?.aborted) noteSilence(WEIGHT.news, error);
        throw error;
      }
    },
    async call(kind, ask) {
      const trial = kind === 'cancel' ? 'cancels' : 'others';
      if (silent !== null && trials[trial] > 0) throw new RunnerUnreachable(silent.reason);
      trials[trial] += 1;
      try {
        const answer = await places.hold(kind, ask);
        heard = true;
        noteAnswer(weightOf(kind));
        return answer;
      } catch (error) {
        if (isSilence(kind, error)) noteSilence(weightOf(kind), error);
        throw error;
      } finally {
        trials[trial] -= 1;
      }
    },
  };
}

function weightOf(kind: Kind): Weight {
  return kind === 'look' ? WEIGHT.look : WEIGHT.order;
}

/** A refusal is an answer, but who refuses to say anything of its runs might as well be away. */
function isSilence(kind: Kind, error: unknown): boolean {
  if (error instanceof GivenUp) return false;
  return kind === 'look' || !(error instanceof Refused);
}
