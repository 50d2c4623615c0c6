/** Repositories as GitHub writes them: what nobody asks about here is constant. */
import type { Site } from '../site.ts';
import type { Repository } from '../state/types.ts';
import { fullName } from '../state/world.ts';
import { isoSeconds, nodeId, repositoryApiUrl, repositoryPage } from './urls.ts';
import { renderUser } from './user.ts';

const API_LINKS: Readonly<Record<string, string>> = {
  archive_url: '/{archive_format}{/ref}',
  assignees_url: '/assignees{/user}',
  blobs_url: '/git/blobs{/sha}',
  branches_url: '/branches{/branch}',
  collaborators_url: '/collaborators{/collaborator}',
  comments_url: '/comments{/number}',
  commits_url: '/commits{/sha}',
  compare_url: '/compare/{base}...{head}',
  contents_url: '/contents/{+path}',
  contributors_url: '/contributors',
  deployments_url: '/deployments',
  downloads_url: '/downloads',
  events_url: '/events',
  forks_url: '/forks',
  git_commits_url: '/git/commits{/sha}',
  git_refs_url: '/git/refs{/sha}',
  git_tags_url: '/git/tags{/sha}',
  hooks_url: '/hooks',
  issue_comment_url: '/issues/comments{/number}',
  issue_events_url: '/issues/events{/number}',
  issues_url: '/issues{/number}',
  keys_url: '/keys{/key_id}',
  labels_url: '/labels{/name}',
  languages_url: '/languages',
  merges_url: '/merges',
  milestones_url: '/milestones{/number}',
  notifications_url: '/notifications{?since,all,participating}',
  pulls_url: '/pulls{/number}',
  releases_url: '/releases{/id}',
  stargazers_url: '/stargazers',
  statuses_url: '/statuses/{sha}',
  subscribers_url: '/subscribers',
  subscription_url: '/subscription',
  tags_url: '/tags',
  teams_url: '/teams',
  trees_url: '/git/trees{/sha}',
};

function countOpen(repository: Repository): number {
  return [...repository.issues.values()].filter((issue) => issue.state === 'open').length;
}

export function renderRepository(site: Site, repository: Repository) {
  const url = repositoryApiUrl(site, repository);
  const page = repositoryPage(site, repository);
  const links = Object.fromEntries(Object.entries(API_LINKS).map(([key, suffix]) => [key, `${url}${suffix}`]));
  const open = countOpen(repository);
  return {
    ...renderRepositoryName(repository),
    owner: renderUser(site, repository.owner),
    html_url: page,
    description: null,
    fork: false,
    url,
    ...links,
    git_url: `git:${page.slice(page.indexOf('//'))}.git`,
    ssh_url: `git@${new URL(page).hostname}:${fullName(repository)}.git`,
    clone_url: `${page}.git`,
    svn_url: page,
    mirror_url: null,
    homepage: null,
    size: 1,
    stargazers_count: 0,
    watchers_count: 0,
    watchers: 0,
    language: null,
    has_issues: true,
    has_projects: false,
    has_downloads: true,
    has_wiki: false,
    has_pages: false,
    has_discussions: false,
    forks_count: 0,
    forks: 0,
    archived: repository.archived,
    disabled: false,
    license: null,
    allow_forking: true,
    is_template: false,
    web_commit_signoff_required: false,
    topics: [],
    visibility: repository.private ? 'private' : 'public',
    open_issues_count: open,
    open_issues: open,
    default_branch: repository.defaultBranch,
    created_at: isoSeconds(repository.createdAt),
    updated_at: isoSeconds(repository.pushedAt),
    pushed_at: isoSeconds(repository.pushedAt),
  };
}

/** The few fields by which installation webhooks name a repository. */
export function renderRepositoryName(repository: Repository) {
  return {
    id: repository.id,
    node_id: nodeId('R', repository.id),
    name: repository.name,
    full_name: fullName(repository),
    private: repository.private,
  };
}

export function renderFullRepository(site: Site, repository: Repository) {
  return { ...renderRepository(site, repository), network_count: 0, subscribers_count: 0 };
}
