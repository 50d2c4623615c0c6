/** A branch, and what one commit's history holds that another's does not. */
import { notFound, ok, Refusal } from '../http/answer.ts';
import { paginate } from '../http/pagination.ts';
import type { ApiRequest, Route } from '../http/router.ts';
import { renderBranch, renderCommit } from '../render/commit.ts';
import { repositoryApiUrl, repositoryPage } from '../render/urls.ts';
import type { Site } from '../site.ts';
import { findCommit, headOf, historyOf } from '../state/commits.ts';
import type { Commit, Repository } from '../state/types.ts';
import { fullName } from '../state/world.ts';
import { visibleRepository } from './lookup.ts';

export const branchRoutes: readonly Route[] = [
  {
    method: 'GET',
    operation: '/repos/{owner}/{repo}/branches/{branch}',
    as: 'token',
    permission: ['contents', 'read'],
    handle: readBranch,
  },
  {
    method: 'GET',
    operation: '/repos/{owner}/{repo}/compare/{basehead}',
    as: 'token',
    permission: ['contents', 'read'],
    handle: compare,
  },
];

function readBranch(site: Site, request: ApiRequest) {
  const repository = visibleRepository(site, request);
  const name = request.params.branch ?? '';
  const head = headOf(repository, name);
  const commit = head === undefined ? undefined : repository.commits.get(head);
  if (commit === undefined) throw new Refusal(404, 'Branch not found');
  return ok(renderBranch(site, repository, name, commit));
}

/** https://docs.github.com/rest/commits/commits#compare-two-commits */
function compare(site: Site, request: ApiRequest) {
  const repository = visibleRepository(site, request);
  const basehead = request.params.basehead ?? '';
  const [base, head] = basehead.split('...').map((ref) => findCommit(repository, ref));
  if (base === undefined || head === undefined) throw notFound();
  const [behind, ahead] = [historyOf(repository, base), historyOf(repository, head)];
  const shared = new Set(behind);
  const mergeBase = ahead.find((commit) => shared.has(commit));
  // https://github.com/trilom/file-changes-action/issues/138
  if (mergeBase === undefined) {
    throw new Refusal(404, `No common ancestor between ${basehead.replace('...', ' and ')}.`);
  }
  const own = ahead.slice(0, ahead.indexOf(mergeBase)).reverse();
  const { items, headers } = paginate(site, request, own);
  const counts = { ahead_by: own.length, behind_by: behind.indexOf(mergeBase) };
  return {
    ...ok(renderComparison(site, repository, { basehead, base, head, mergeBase, counts, commits: items })),
    headers,
  };
}

interface Comparison {
  basehead: string;
  base: Commit;
  head: Commit;
  mergeBase: Commit;
  counts: { ahead_by: number; behind_by: number };
  commits: readonly Commit[];
}

function renderComparison(
  site: Site,
  repository: Repository,
  { basehead, base, head, mergeBase, counts, commits }: Comparison,
) {
  const [api, page] = [repositoryApiUrl(site, repository), repositoryPage(site, repository)];
  const html = `${page}/compare/${encodeURI(basehead)}`;
  const [owner] = fullName(repository).split('/');
  return {
    url: `${api}/compare/${encodeURI(basehead)}`,
    html_url: html,
    permalink_url: `${page}/compare/${owner}:${base.sha.slice(0, 7)}...${owner}:${head.sha.slice(0, 7)}`,
    diff_url: `${html}.diff`,
    patch_url: `${html}.patch`,
    base_commit: renderCommit(site, repository, base),
    merge_base_commit: renderCommit(site, repository, mergeBase),
    status: statusOf(counts),
    ...counts,
    total_commits: counts.ahead_by,
    commits: commits.map((commit) => renderCommit(site, repository, commit)),
    files: [],
  };
}

function statusOf({ ahead_by, behind_by }: Comparison['counts']) {
  if (ahead_by === 0) return behind_by === 0 ? 'identical' : 'behind';
  return behind_by === 0 ? 'ahead' : 'diverged';
}
