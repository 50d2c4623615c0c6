/** Tells this process what its commit made due, and when: a wake-up, never the only way to learn of it. */
import type { OnEnqueued, Write } from '../engine/ports.ts';

export function tellEnqueued(writes: readonly Write[], onEnqueued: OnEnqueued): void {
  tell(
    'work',
    writes.flatMap((write) => (write.write === 'work.enqueue' ? [write.dueAt] : [])),
    onEnqueued,
  );
  tell('owed', writes.flatMap(dueOfMessage), onEnqueued);
}

function dueOfMessage(write: Write): Date[] {
  if (write.write === 'outbox.owe') return [write.item.dueAt];
  return write.write === 'outbox.unlock' ? [write.dueAt] : [];
}

function tell(what: 'work' | 'owed', times: readonly Date[], onEnqueued: OnEnqueued): void {
  if (times.length > 0) onEnqueued(what, new Date(Math.min(...times.map(Number))));
}
