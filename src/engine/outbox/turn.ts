/** One try to send one message, and what must be asked right before its one write. */
import { halfOf, writeScope } from '../../core/pace.ts';
import type { OutboxItem, OutboxLease, OutboxResult, OutcomeView } from '../ports.ts';
import type { Sender, Writer } from './sender.ts';

export interface Turn extends Sender {
  github: Writer;
  lease: OutboxLease;
  view: OutcomeView;
}

/** null: the lease was lost; another one sends it. */
export type Sent = OutboxResult | null;

/**
 * Words about what happened go before them. Anybody can ask for signs on a public repository: a few hundred comments of strangers
 * must not keep the words about a stop back for an hour.
 */
const MAY_WAIT: readonly OutboxItem['kind'][] = ['status', 'reaction'];

/** What had to make room is asked about again then, or later. */
const AGAIN_MS = 30_000;

/**
 * Carries out the turn's one write if it may go out now. It is noted before it is sent: a crash in between counts one too many, and
 * never one too few.
 */
export async function writeOnce(turn: Turn, write: () => Promise<OutboxResult>): Promise<Sent> {
  const { deps, lease, view, pace, pauses } = turn;
  const { outbox } = deps.store;
  const scope = writeScope(view.repository);
  if (MAY_WAIT.includes(lease.item.kind)) return writeWhatMayWait(turn, scope, write);
  const { admitted, freeAt } = await outbox.admit(scope, pace);
  pauses.set(scope, freeAt);
  if (!admitted) return { state: 'owed', dueAt: freeAt };
  return (await outbox.holds(lease)) ? write() : null;
}

/** What these have to wait for keeps nothing else waiting. */
async function writeWhatMayWait(turn: Turn, scope: string, write: () => Promise<OutboxResult>): Promise<Sent> {
  const { deps, lease, pace, pauses } = turn;
  const { outbox } = deps.store;
  const { admitted, freeAt } = await outbox.admit(scope, halfOf(pace));
  const now = deps.clock().getTime();
  const isSoon = freeAt.getTime() - now <= pace.gapMs;
  if (!admitted)
    return { state: 'owed', dueAt: isSoon ? freeAt : new Date(Math.max(freeAt.getTime(), now + AGAIN_MS)) };
  pauses.set(scope, new Date(now + pace.gapMs));
  return (await outbox.holds(lease)) ? write() : null;
}
