import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Current } from './context.ts';
import { append, insertTask, owe, putRepository, T0 } from './records.ts';

export function describeIsolation(current: Current): void {
  describe('isolation', () => {
    it('a rolled-back transaction takes no neighbour’s write with it', async () => {
      const { store } = current();
      await store.commit([putRepository]);
      const failing = { write: 'task.update', id: 'no-such-task', version: 1, set: { state: 'done' } } as const;
      const rollbacks = Array.from({ length: 60 }, (_, i) =>
        store.commit([insertTask({ id: `task-${i}` }), owe(`message-${i}`), append(), failing]),
      );
      // One write after the other, so that some are asked for while a transaction is open.
      async function neighbour(name: string): Promise<void> {
        for (let i = 0; i < 25; i += 1) {
          const id = `${name}-${i}`;
          expect(await store.inbox.insert({ id, event: 'issues', payload: '{}', receivedAt: T0 })).toBe('stored');
          await store.queue.enqueue([{ key: id, dueAt: T0 }]);
        }
      }
      await Promise.all(['a', 'b', 'c'].map(neighbour));
      expect(await Promise.all(rollbacks)).toEqual(rollbacks.map(() => false));
      expect(await store.queries.backlog()).toEqual({ deliveries: 75, messages: 0, keys: 75 });
      expect(await store.queries.events(null, 100)).toEqual([]);
      expect(await store.task('task-0')).toBeNull();
    });

    it('a failing statement beside commits spoils none of them', async () => {
      const { store } = current();
      await store.commit([putRepository]);
      await store.inbox.insert({ id: 'known', event: 'issues', payload: '{}', receivedAt: T0 });
      const flows = Array.from({ length: 30 }, async (_, i) => {
        const committed = store.commit([insertTask({ id: `task-${i}` }), append()]);
        const duplicate = store.inbox.insert({ id: 'known', event: 'issues', payload: '{}', receivedAt: T0 });
        return { committed: await committed, duplicate: await duplicate };
      });
      expect(await Promise.all(flows)).toEqual(flows.map(() => ({ committed: true, duplicate: 'duplicate' })));
      expect(await store.queries.events(null, 100)).toHaveLength(30);
    });

    it('a reader that follows the journal while others commit skips nothing', async () => {
      const { store } = current();
      const seen: string[] = [];
      let writing = true;
      async function follow(): Promise<void> {
        let after: string | null = null;
        while (true) {
          const last = !writing;
          const events = await store.queries.events(after, 7);
          seen.push(...events.map(({ data }) => String(data.name)));
          after = events.at(-1)?.id ?? after;
          if (last && events.length === 0) return;
          await nextTurn();
        }
      }
      const following = follow();
      const names = Array.from({ length: 80 }, (_, i) => `event-${i}`);
      const fails = { write: 'task.update', id: 'no-such-task', version: 1, set: { state: 'done' } } as const;
      const commits = [
        ...names.map((name) => store.commit([append({ data: { name } })])),
        ...names.slice(0, 20).map(() => store.commit([append({ data: { name: 'never' } }), fails])),
      ];
      await Promise.allSettled(commits);
      writing = false;
      await following;
      expect(await Promise.all(commits)).toEqual([...names.map(() => true), ...names.slice(0, 20).map(() => false)]);
      expect([...seen].sort()).toEqual([...names].sort());
    });
  });
}
