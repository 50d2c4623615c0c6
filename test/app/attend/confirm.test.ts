/** What an app's word about the beginning of a command is worth, by when it was given. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { untilConfirmed } from '../../../src/app/attend/confirm.ts';
import type { DeskNews, TaskDesk } from '../../../src/app/attend/order.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
});

afterEach(() => {
  vi.useRealTimers();
});

const at = { runId: 'run_1', session: 'a-session' };
const RUNNING: DeskNews = { state: 'running', signal: null, why: null };
const OVER: DeskNews = { state: 'over', signal: null, why: 'run 1 was taken back' };

/** Each answer comes so long after it was asked for. */
function confirm(answers: readonly { news: DeskNews; afterMs: number }[]): Promise<boolean> {
  const left = [...answers];
  const news: TaskDesk['news'] = async () => {
    const next = left.shift();
    if (next === undefined) throw new Error('asked too often');
    vi.advanceTimersByTime(next.afterMs);
    return next.news;
  };
  const signals = { told: new AbortController().signal };
  return untilConfirmed({ news } as TaskDesk, at, { signals, tell: () => {} });
}

it('nothing begins by an answer that lay unread while whoever asked was stopped', async () => {
  const stale = { news: RUNNING, afterMs: 20_000 };
  await expect(confirm([stale, { news: OVER, afterMs: 10 }])).rejects.toThrow(
    'nothing was started: run 1 was taken back',
  );
  expect(await confirm([stale, { news: RUNNING, afterMs: 10 }])).toBe(false);
});

it('an answer that takes its time is believed', async () => {
  expect(await confirm([{ news: RUNNING, afterMs: 4_000 }])).toBe(false);
});
