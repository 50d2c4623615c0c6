/** Which issues a sweep looks after. */
import type { IssueRef } from '../../core/issue.ts';
import type { EndedBy } from '../../core/plan/reopen.ts';
import { isEnded, type Task } from '../../core/task.ts';
import { issueId, type Tables } from './database.ts';
import { sortBy } from './sort.ts';

export function readTrackedIssues(
  { tasks, blockers, items }: Tables,
  since: Date,
  endedBy: EndedBy = 'close',
): readonly IssueRef[] {
  const linked = [...tasks.values()];
  const unfinished = linked.filter(({ state }) => !isEnded(state)).flatMap(issueOf);
  const waiting = new Set(unfinished.map(issueId));
  const blocking = [...blockers.values()].flatMap((edge) => {
    const { repositoryId, number } = edge.blocker;
    return repositoryId !== null && waiting.has(issueId(edge)) ? [{ repositoryId, number }] : [];
  });
  return refsInOrder([
    ...unfinished,
    ...linked.filter((task) => endedAfter(task, since, endedBy)).flatMap(issueOf),
    ...blocking,
    ...[...items.values()].flatMap(({ item }) => (item.state === 'locked' ? [item] : [])),
  ]);
}

/** Each once. */
export function refsInOrder(refs: readonly IssueRef[]): readonly IssueRef[] {
  const byId = new Map(
    refs.map(({ repositoryId, number }) => [issueId({ repositoryId, number }), { repositoryId, number }]),
  );
  return sortBy(byId.values(), ({ repositoryId, number }) => [repositoryId, number]);
}

function issueOf({ repositoryId, issueNumber }: Task): IssueRef[] {
  return issueNumber === null ? [] : [{ repositoryId, number: issueNumber }];
}

function endedAfter({ endedByEpisodeId, finishedAt }: Task, since: Date, endedBy: EndedBy): boolean {
  return (endedBy === 'anything' || endedByEpisodeId !== null) && finishedAt !== null && finishedAt > since;
}
