/** Apps and installations as GitHub writes them. Secrets are never rendered. */
import type { Site } from '../site.ts';
import type { App, Installation } from '../state/types.ts';
import { apiUrl, isoSeconds, nodeId } from './urls.ts';
import { renderUser } from './user.ts';

export function renderIntegration(site: Site, app: App = site.app) {
  return {
    id: app.id,
    slug: app.slug,
    node_id: nodeId('A', app.id),
    client_id: app.clientId,
    owner: renderUser(site, app.owner),
    name: app.name,
    description: null,
    external_url: `${site.origin()}/${app.owner.login}/${app.slug}`,
    html_url: `${site.origin()}/apps/${app.slug}`,
    created_at: isoSeconds(app.createdAt),
    updated_at: isoSeconds(app.createdAt),
    permissions: app.permissions,
    events: [...app.events],
  };
}

/** `performed_via_github_app`. */
export function renderVia(site: Site, app: App | null) {
  return app === null ? null : renderIntegration(site, app);
}

export function renderInstallation(site: Site, installation: Installation) {
  const { account } = installation;
  return {
    id: installation.id,
    account: renderUser(site, account),
    repository_selection: 'selected',
    access_tokens_url: apiUrl(site, `/app/installations/${installation.id}/access_tokens`),
    repositories_url: apiUrl(site, '/installation/repositories'),
    html_url: `${site.origin()}/organizations/${account.login}/settings/installations/${installation.id}`,
    app_id: site.app.id,
    app_slug: site.app.slug,
    client_id: site.app.clientId,
    target_id: account.id,
    target_type: account.type,
    permissions: installation.permissions,
    events: [...site.app.events],
    created_at: isoSeconds(installation.createdAt),
    updated_at: isoSeconds(installation.suspendedAt ?? installation.createdAt),
    single_file_name: null,
    has_multiple_single_files: false,
    single_file_paths: [],
    suspended_by: installation.suspendedAt === null ? null : renderUser(site, account),
    suspended_at: installation.suspendedAt === null ? null : isoSeconds(installation.suspendedAt),
  };
}

export function renderHookConfig(site: Site) {
  const url = site.hook.url();
  return { content_type: 'json', insecure_ssl: '0', secret: '********', ...(url === null ? {} : { url }) };
}
