/** A push as its webhook tells it. */
import type { Site } from '../site.ts';
import { treeOf } from '../state/commits.ts';
import type { Commit, Repository, User } from '../state/types.ts';
import { personOf } from './commit.ts';
import { renderRepository } from './repository.ts';
import { isoSeconds, repositoryPage } from './urls.ts';
import { renderUser } from './user.ts';

export interface Pushed {
  branch: string;
  /** Where the branch was; null: it is new. */
  before: string | null;
  /** Where it is now; null: it is gone. */
  after: string | null;
  /** Oldest first. */
  commits: readonly Commit[];
  files?: { path: string; kind: 'added' | 'modified' | 'removed' };
}

const NO_COMMIT = '0'.repeat(40);

export function renderPush(
  site: Site,
  repository: Repository,
  sender: User,
  { branch, before, after, commits, files }: Pushed,
) {
  const rendered = commits.map((commit) => renderPushedCommit(site, repository, commit, files));
  const [from, to] = [before ?? NO_COMMIT, after ?? NO_COMMIT];
  return {
    ref: `refs/heads/${branch}`,
    before: from,
    after: to,
    base_ref: null,
    created: before === null,
    deleted: after === null,
    forced: false,
    compare: `${repositoryPage(site, repository)}/compare/${from.slice(0, 12)}...${to.slice(0, 12)}`,
    commits: rendered,
    head_commit: rendered.at(-1) ?? null,
    pusher: { name: sender.login, email: personOf(sender).email },
    repository: renderPushedRepository(site, repository),
  };
}

function renderPushedCommit(site: Site, repository: Repository, commit: Commit, files: Pushed['files']) {
  const person = { ...personOf(commit.author), username: commit.author.login };
  const touched = (kind: string) => (files?.kind === kind ? [files.path] : []);
  return {
    id: commit.sha,
    tree_id: treeOf(commit),
    distinct: true,
    message: commit.message,
    timestamp: isoSeconds(commit.at),
    url: `${repositoryPage(site, repository)}/commit/${commit.sha}`,
    author: person,
    committer: person,
    added: touched('added'),
    modified: touched('modified'),
    removed: touched('removed'),
  };
}

/** This event alone gives some of the repository's times as epoch seconds. */
function renderPushedRepository(site: Site, repository: Repository) {
  const owner = renderUser(site, repository.owner);
  return {
    ...renderRepository(site, repository),
    owner: { ...owner, name: repository.owner.login, email: null },
    url: repositoryPage(site, repository),
    created_at: repository.createdAt / 1000,
    pushed_at: repository.pushedAt / 1000,
    stargazers: 0,
    master_branch: repository.defaultBranch,
  };
}
