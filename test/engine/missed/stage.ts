/** What GitHub tried to deliver, in pages, and a store to find out about it: nothing here is real but the use case. */
import { type Deps, GitHubError, type HookAttempt } from '../../../src/engine/index.ts';
import { findMissed } from '../../../src/engine/missed/index.ts';
import { makeMemoryStore } from '../../../src/store/memory/index.ts';
import { silentLog } from '../../support/databases.ts';

export type Stage = ReturnType<typeof makeStage>;

/** Ids and times go up with each attempt that is made. */
export function makeStage({ perPage = 100 } = {}) {
  let nowMs = Date.parse('2026-03-01T12:00:00Z');
  const attempts: HookAttempt[] = [];
  const asked: string[] = [];
  const warned: string[] = [];
  const state = {
    requests: 0,
    /** Thrown instead of an answer; by its turn. */
    fails: [] as (Error | null)[],
    /** What an ask does. */
    onAsk: (_attemptId: string): 'asked' | 'gone' => 'asked',
    offsetMs: 0,
    delivers: true,
  };
  const clock = () => new Date(nowMs);
  const store = makeMemoryStore({ now: clock, onEnqueued: () => {} });
  const github = {
    clockOffsetMs: () => state.offsetMs,
    async hookAttempts(cursor: string | null) {
      state.requests += 1;
      const failure = state.fails.shift() ?? null;
      if (failure !== null) throw failure;
      if (!state.delivers) return null;
      const newestFirst = attempts.toReversed();
      const from = cursor === null ? 0 : newestFirst.findIndex(({ id }) => id === cursor);
      const next = newestFirst[from + perPage]?.id ?? null;
      return { attempts: newestFirst.slice(from, from + perPage), cursor: next };
    },
    async askAgain(attemptId: string) {
      asked.push(attemptId);
      return state.onAsk(attemptId);
    },
  };
  const deps = {
    store,
    github,
    clock,
    log: { ...silentLog, warn: (_fields: object, message: string) => void warned.push(message) },
  } as unknown as Deps;

  return {
    deps,
    store,
    state,
    attempts,
    asked,
    warned,
    clock,
    look: () => findMissed(deps, { gapMs: 0 }),
    forward: (ms: number) => {
      nowMs += ms;
    },
    /** An attempt at the time of GitHub's clock. */
    attempt(guid: string, isOk: boolean, more: Partial<HookAttempt> = {}) {
      const id = String(1_000 + attempts.length);
      const deliveredAt = new Date(nowMs + state.offsetMs);
      const attempt = { id, guid, event: 'issues', action: 'closed', deliveredAt, isOk, ...more };
      attempts.push(attempt);
      return attempt;
    },
    /** It came in at the door. */
    receive: (guid: string) =>
      store.inbox.insert({ id: guid, event: 'issues', payload: '{}', receivedAt: new Date(nowMs) }),
    stateOf: async (guid: string) => (await store.missedDelivery(guid))?.state ?? null,
  };
}

export function refusedWith(status: number): GitHubError {
  const code = [401, 403, 404].includes(status) ? 'lost_access' : status === 429 ? 'throttled' : 'retryable';
  return new GitHubError(code, `GET /app/hook/deliveries: ${status}`, { status });
}
