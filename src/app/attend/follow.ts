/** The app is asked what an attended command is to do, for as long as it runs. */
import { setTimeout as delay } from 'node:timers/promises';
import { againMs } from './again.ts';
import type { DeskNews, RunPlace, TaskDesk } from './order.ts';

/** How often it is asked at most, where no answer waits for news. What is being stopped may be told KILL next. */
const LEAST_MS = 1_000;

export interface Watch {
  tell(line: string): void;
  ended: AbortSignal;
  /** KILL was ordered: its grace is over there. */
  onKill(): void;
}

/** Resolves with why it is to end; null: it is over there, or here. */
export function untilOrdered(desk: TaskDesk, at: RunPlace, watch: Watch): Promise<string | null> {
  return new Promise((resolve) => {
    void follow(desk, at, { ...watch, onOrder: resolve }).then(() => resolve(null));
  });
}

/** Until the watch ends, or the run is over there: an order is no reason to be silent. */
async function follow(
  desk: TaskDesk,
  at: RunPlace,
  { tell, ended, onKill, onOrder }: Watch & { onOrder(why: string): void },
): Promise<void> {
  let failures = 0;
  let told: Without['state'] | null = null;
  while (!ended.aborted) {
    const askedAt = performance.now();
    // That it answers again is not to wait for news.
    const isPatient = failures === 0;
    const news = await ask(desk, at, { isPatient, ended });
    let pauseMs = 0;
    if (isWithout(news)) {
      if (told !== news.state && !ended.aborted) tell(wordsOf(news));
      told = news.state;
      pauseMs = againMs(failures);
      failures += 1;
    } else {
      if (failures > 0) tell('the app answers again');
      failures = 0;
      told = null;
      if (news.signal === 'KILL') onKill();
      if (news.state !== 'running') onOrder(news.why ?? 'the app says that it is to end');
      if (news.state === 'over') return;
      if (isPatient) pauseMs = LEAST_MS - (performance.now() - askedAt);
    }
    if (pauseMs > 0) await delay(pauseMs, undefined, { signal: ended }).catch(() => {});
  }
}

/** An answer without news, or none. Neither stops anything. */
interface Without {
  state: 'silent' | 'refused';
  why: string | null;
}

async function ask(
  desk: TaskDesk,
  at: RunPlace,
  how: { isPatient: boolean; ended: AbortSignal },
): Promise<DeskNews | Without> {
  try {
    return await desk.news(at, how);
  } catch (error) {
    return { state: 'silent', why: (error as Error).message };
  }
}

function isWithout(news: DeskNews | Without): news is Without {
  return news.state === 'silent' || news.state === 'refused';
}

function wordsOf({ state, why }: Without): string {
  const what = state === 'silent' ? 'gives no answer' : 'does not say what to do';
  return `the app ${what}, the command goes on: ${why}`;
}
