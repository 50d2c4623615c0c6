/** What an issue is blocked by, as its tasks' plans look at it: the edges, with what is known of the issues behind them. */
import { type IssueBlocker, viewBlocker } from '../core/blockers/blocker.ts';
import type { IssueRef } from '../core/issue.ts';
import type { SeenBlocker } from '../core/report/waiting.ts';
import type { Deps } from './deps.ts';

/** One statement where nothing blocks it. */
export async function viewBlockersOf(deps: Pick<Deps, 'store'>, ref: IssueRef): Promise<readonly SeenBlocker[]> {
  const edges = await deps.store.blockersOf(ref);
  return Promise.all(edges.map((edge) => viewEdge(deps, edge)));
}

export async function viewEdge({ store }: Pick<Deps, 'store'>, edge: IssueBlocker): Promise<SeenBlocker> {
  const { repositoryId, number } = edge.blocker;
  const issue = repositoryId === null ? null : await store.issue({ repositoryId, number });
  const episode = issue === null ? null : await store.newestEpisode(issue.nodeId);
  return { ...viewBlocker(edge, issue, episode), observedAt: issue?.observedAt ?? null };
}
