/** What a close, a reopen, a failure or an order of REST did; told once it was seen. */
import { isTellable, type OutcomeReport, renderOutcomes, type Transfer } from '../../core/report/outcome.ts';
import type { Deps } from '../deps.ts';
import type { OutcomeView } from '../ports.ts';
import type { Rendered } from './rendered.ts';

export async function gatherOutcome(deps: Deps, view: OutcomeView, merged: readonly OutcomeView[]): Promise<Rendered> {
  // What was merged was tellable then; where it is so no more (a line was added), it waits and is told by an edit.
  if (!isToldBy(deps, view)) return 'not_yet';
  const told = [view, ...merged.filter((other) => isToldBy(deps, other))];
  const [moved, policy] = await Promise.all([transferOf(deps, view), deps.policyOf(view.item.repositoryId)]);
  return {
    body: renderOutcomes(
      told.map(reportOf).map((report) => ({ ...report, moved })),
      policy,
    ),
  };
}

/** Whether all that it tells of was seen, or waited for long enough. */
export function isToldBy({ clock }: Pick<Deps, 'clock'>, view: OutcomeView): boolean {
  return isTellable(reportOf(view), clock().getTime() - view.item.createdAt.getTime());
}

async function transferOf({ store }: Deps, { item, repository }: OutcomeView): Promise<Transfer | null> {
  const issue = await store.issue(item);
  if (issue?.presence !== 'transferred') return null;
  return { from: repository.fullName, number: item.number, to: issue.movedTo };
}

function reportOf({ item, episode, lines }: OutcomeView): OutcomeReport {
  const entries = lines.map(({ line, task, run }) => ({ effect: line.effect, result: line.result, task, run }));
  return { id: item.id, key: item.key, episode, entries };
}
