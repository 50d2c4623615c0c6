/** Commits and branches as GitHub writes them. */
import type { Site } from '../site.ts';
import { treeOf } from '../state/commits.ts';
import type { Commit, Repository, User } from '../state/types.ts';
import { isoSeconds, repositoryApiUrl, repositoryPage } from './urls.ts';
import { renderUser } from './user.ts';

/** As git knows people. */
export function personOf({ login }: User): { name: string; email: string } {
  return { name: login, email: `${login}@users.noreply.example` };
}

export function renderCommit(site: Site, repository: Repository, commit: Commit) {
  const { sha, parent, message, author, at } = commit;
  const api = repositoryApiUrl(site, repository);
  const signature = { ...personOf(author), date: isoSeconds(at) };
  const tree = treeOf(commit);
  return {
    sha,
    node_id: `C_kw${Buffer.from(`${repository.id} ${sha}`).toString('base64url')}`,
    commit: {
      author: signature,
      committer: signature,
      message,
      tree: { sha: tree, url: `${api}/git/trees/${tree}` },
      url: `${api}/git/commits/${sha}`,
      comment_count: 0,
    },
    ...linksOf(site, repository, sha),
    comments_url: `${api}/commits/${sha}/comments`,
    author: renderUser(site, author),
    committer: renderUser(site, author),
    parents: parent === null ? [] : [{ sha: parent, ...linksOf(site, repository, parent) }],
  };
}

function linksOf(site: Site, repository: Repository, sha: string) {
  const url = `${repositoryApiUrl(site, repository)}/commits/${sha}`;
  return { url, html_url: `${repositoryPage(site, repository)}/commit/${sha}` };
}

export function renderBranch(site: Site, repository: Repository, name: string, head: Commit) {
  const self = `${repositoryApiUrl(site, repository)}/branches/${encodeURI(name)}`;
  return {
    name,
    commit: renderCommit(site, repository, head),
    _links: { self, html: `${repositoryPage(site, repository)}/tree/${encodeURI(name)}` },
    protected: false,
    protection: {
      enabled: false,
      required_status_checks: { enforcement_level: 'off', contexts: [], checks: [] },
    },
    protection_url: `${self}/protection`,
  };
}
