/** Outcomes of one issue that wait unsent together become one comment, where one says it all. */
import type { Deps } from '../deps.ts';
import type { OutboxLease, OutcomeView } from '../ports.ts';
import { isToldBy } from './gather-outcome.ts';

/** One comment holds the words of about a hundred. */
const AT_MOST = 100;

/** What the message tells besides its own, with what it takes over now. */
export async function mergeInto(deps: Deps, lease: OutboxLease, view: OutcomeView): Promise<readonly OutcomeView[]> {
  const { outbox } = deps.store;
  if (isFresh(lease) && isToldBy(deps, view)) {
    const tellable = (await outbox.mergeable(lease.item, AT_MOST)).filter((other) => isToldBy(deps, other));
    const ids = tellable.map(({ item }) => item.id);
    if (ids.length > 0) await outbox.merge(lease, ids);
  }
  return outbox.mergedInto(lease.item.id);
}

/** A comment that is there already, or may be, is not the place for news: nobody is told of an edit. */
function isFresh({ item, takenOver }: OutboxLease): boolean {
  return item.kind === 'outcome' && !takenOver && item.failures === 0 && item.remoteId === null && item.sentAt === null;
}
