/** Accounts as GitHub writes them: people, bots and organisations. */
import type { Site } from '../site.ts';
import type { User } from '../state/types.ts';
import { apiUrl, isoSeconds, nodeId } from './urls.ts';

export function renderUser(site: Site, user: User) {
  const url = apiUrl(site, `/users/${encodeURIComponent(user.login)}`);
  return {
    login: user.login,
    id: user.id,
    node_id: nodeId(user.type === 'Organization' ? 'O' : user.type === 'Bot' ? 'BOT' : 'U', user.id),
    avatar_url: `${site.origin()}/avatars/u/${user.id}`,
    gravatar_id: '',
    url,
    html_url: `${site.origin()}/${encodeURIComponent(user.login)}`,
    followers_url: `${url}/followers`,
    following_url: `${url}/following{/other_user}`,
    gists_url: `${url}/gists{/gist_id}`,
    starred_url: `${url}/starred{/owner}{/repo}`,
    subscriptions_url: `${url}/subscriptions`,
    organizations_url: `${url}/orgs`,
    repos_url: `${url}/repos`,
    events_url: `${url}/events{/privacy}`,
    received_events_url: `${url}/received_events`,
    type: user.type,
    site_admin: false,
  };
}

export function renderOrganization(site: Site, user: User) {
  const url = apiUrl(site, `/orgs/${user.login}`);
  return {
    login: user.login,
    id: user.id,
    node_id: nodeId('O', user.id),
    url,
    repos_url: `${url}/repos`,
    events_url: `${url}/events`,
    hooks_url: `${url}/hooks`,
    issues_url: `${url}/issues`,
    members_url: `${url}/members{/member}`,
    public_members_url: `${url}/public_members{/member}`,
    avatar_url: `${site.origin()}/avatars/u/${user.id}`,
    description: null,
  };
}

/** An account's own page of facts, as anybody sees it. */
export function renderProfile(site: Site, user: User) {
  return {
    ...renderUser(site, user),
    name: null,
    company: null,
    blog: null,
    location: null,
    email: null,
    hireable: null,
    bio: null,
    public_repos: 0,
    public_gists: 0,
    followers: 0,
    following: 0,
    created_at: isoSeconds(user.createdAt),
    updated_at: isoSeconds(user.createdAt),
  };
}
