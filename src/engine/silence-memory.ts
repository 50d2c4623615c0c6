/** Since when runners give no answer, kept across restarts: a new app has not heard of them any longer than the one before. */
import type { Deps } from './deps.ts';
import type { Store, Write } from './ports.ts';

const nameOf = (runner: string) => `silent_since:${runner}`;

/** null: it had answered when it was asked last, or was never asked. */
export async function rememberedSilence(store: Pick<Store, 'cursor'>, runner: string): Promise<Date | null> {
  const time = Date.parse((await store.cursor(nameOf(runner))) ?? '');
  return Number.isNaN(time) ? null : new Date(time);
}

/** To be called after each look at the runners. Writes what has changed only. */
export function makeSilenceMemory(deps: Deps): () => Promise<void> {
  const { store, runners, clock } = deps;
  const kept = new Map<string, string>();
  return async () => {
    const changed = new Map<string, string>();
    for (const name of runners.names()) {
      const silent = runners.get(name)?.profile.silent;
      // A runner that lives in this process is never silent.
      if (silent === undefined) continue;
      const before = kept.get(name) ?? (await store.cursor(nameOf(name))) ?? '';
      const since = silent?.since.toISOString() ?? '';
      if (since === before) kept.set(name, since);
      else changed.set(name, since);
    }
    if (changed.size === 0) return;
    const at = clock();
    const writes = [...changed].map(([name, value]): Write => ({ write: 'cursor.put', name: nameOf(name), value, at }));
    await store.commit(writes);
    for (const [name, since] of changed) kept.set(name, since);
  };
}
