/**
 * Before its command begins the app has to say that it may: a claim whose session was never heard is taken back there, since nobody
 * knows whether its answer arrived.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { againMs } from './again.ts';
import type { DeskNews, RunPlace, TaskDesk } from './order.ts';
import { AttendError } from './refusal.ts';
import type { CaughtSignals } from './signals.ts';

/** An older answer says nothing of now: whoever asked was stopped meanwhile, or the app is slow. */
const FRESH_MS = 5_000;

/** False: it may begin, or a signal came first. True: it was ordered to end already. Throws where it may not begin. */
export async function untilConfirmed(
  desk: TaskDesk,
  at: RunPlace,
  { signals, tell }: { signals: Pick<CaughtSignals, 'told'>; tell(line: string): void },
): Promise<boolean> {
  const { told } = signals;
  for (let failures = 0; !told.aborted; ) {
    const askedAt = performance.now();
    const news = await ask(desk, at, told);
    if (typeof news !== 'string') {
      if (news.state === 'running' && performance.now() - askedAt > FRESH_MS) continue;
      return isOrdered(news, tell);
    }
    if (failures === 0 && !told.aborted) tell(`the app gives no answer, nothing is started until it does: ${news}`);
    await delay(againMs(failures), undefined, { signal: told }).catch(() => {});
    failures += 1;
  }
  return false;
}

/** A string: there was no answer, and why. */
async function ask(desk: TaskDesk, at: RunPlace, ended: AbortSignal): Promise<DeskNews | string> {
  try {
    return await desk.news(at, { isPatient: false, ended });
  } catch (error) {
    return (error as Error).message;
  }
}

function isOrdered({ state, why }: DeskNews, tell: (line: string) => void): boolean {
  if (state === 'running') return false;
  if (state !== 'stopping') throw new AttendError('refused', `nothing was started: ${why ?? state}`);
  tell(`nothing was started: ${why ?? 'the app says that it is to end'}`);
  return true;
}
