/** What the app does as itself: who am I, where am I installed, give me a token. */
import { randomBytes } from 'node:crypto';
import { created, notFound, ok, Refusal } from '../http/answer.ts';
import { answerPage } from '../http/pagination.ts';
import type { ApiRequest, Route } from '../http/router.ts';
import { renderHookConfig, renderInstallation, renderIntegration } from '../render/app.ts';
import { renderRepository } from '../render/repository.ts';
import { isoSeconds } from '../render/urls.ts';
import { type IssuedToken, mayUse, type Site } from '../site.ts';
import type { Installation, Permissions } from '../state/types.ts';
import { findInstallation, installedRepositories } from '../state/world.ts';
import { findNamedRepository } from './lookup.ts';

export const appRoutes: readonly Route[] = [
  { method: 'GET', operation: '/app', as: 'app', handle: readApp },
  { method: 'GET', operation: '/apps/{app_slug}', as: 'anyone', handle: readNamedApp },
  { method: 'GET', operation: '/app/hook/config', as: 'app', handle: readHookConfig },
  {
    method: 'GET',
    operation: '/app/installations',
    as: 'app',
    handle: listInstallations,
    ignores: ['since', 'outdated'],
  },
  { method: 'GET', operation: '/app/installations/{installation_id}', as: 'app', handle: readInstallation },
  {
    method: 'POST',
    operation: '/app/installations/{installation_id}/access_tokens',
    as: 'app',
    handle: issueToken,
  },
  { method: 'GET', operation: '/repos/{owner}/{repo}/installation', as: 'app', handle: readRepositoryInstallation },
  { method: 'GET', operation: '/installation/repositories', as: 'installation', handle: listInstalledRepositories },
];

function readApp(site: Site) {
  return ok({ ...renderIntegration(site), installations_count: site.world.installations.size });
}

function readNamedApp(site: Site, request: ApiRequest) {
  const app = site.apps.get(request.params.app_slug ?? '');
  if (app === undefined) throw notFound();
  return ok(renderIntegration(site, app));
}

function readHookConfig(site: Site) {
  return ok(renderHookConfig(site));
}

function listInstallations(site: Site, request: ApiRequest) {
  const all = [...site.world.installations.values()];
  return answerPage(site, request, all, (installation) => renderInstallation(site, installation));
}

function namedInstallation(site: Site, request: ApiRequest): Installation {
  const installation = site.world.installations.get(Number(request.params.installation_id));
  if (installation === undefined) throw notFound();
  return installation;
}

function readInstallation(site: Site, request: ApiRequest) {
  return ok(renderInstallation(site, namedInstallation(site, request)));
}

function readRepositoryInstallation(site: Site, request: ApiRequest) {
  const installation = findInstallation(site.world, findNamedRepository(site, request));
  if (installation === undefined) throw notFound();
  return ok(renderInstallation(site, installation));
}

function listInstalledRepositories(site: Site, request: ApiRequest) {
  if (request.caller.kind !== 'installation') throw notFound();
  const { token } = request.caller;
  const installation = site.world.installations.get(token.installationId);
  const all = installation ? installedRepositories(site.world, installation) : [];
  const reached = all.filter(({ id }) => token.repositoryIds === null || token.repositoryIds.includes(id));
  const page = answerPage(site, request, reached, (repository) => renderRepository(site, repository));
  return {
    ...page,
    body: { total_count: reached.length, repository_selection: 'selected', repositories: page.body },
  };
}

interface TokenWish {
  repositories?: string[];
  repository_ids?: number[];
  permissions?: Record<string, 'read' | 'write'>;
}

function issueToken(site: Site, request: ApiRequest) {
  const installation = namedInstallation(site, request);
  if (installation.suspendedAt !== null) throw new Refusal(403, 'This installation has been suspended');
  const wish = (request.body ?? {}) as TokenWish;
  const repositoryIds = narrowRepositories(site, installation, wish);
  const issued: IssuedToken = {
    installationId: installation.id,
    expiresAt: site.now() + site.tokenLifetimeSeconds * 1000,
    permissions: narrowPermissions(installation.permissions, wish.permissions),
    repositoryIds,
  };
  const token = `ghs_${randomBytes(18).toString('hex')}`;
  site.tokens.issued.set(token, issued);
  return created(renderToken(site, token, issued));
}

function renderToken(site: Site, token: string, issued: IssuedToken) {
  const repositories = issued.repositoryIds?.flatMap((id) => site.world.repositories.get(id) ?? []);
  return {
    token,
    expires_at: isoSeconds(issued.expiresAt),
    permissions: issued.permissions,
    repository_selection: 'selected',
    ...(repositories ? { repositories: repositories.map((repository) => renderRepository(site, repository)) } : {}),
  };
}

function narrowRepositories(site: Site, installation: Installation, wish: TokenWish): number[] | null {
  if (wish.repositories === undefined && wish.repository_ids === undefined) return null;
  const installed = installedRepositories(site.world, installation);
  const byName = (wish.repositories ?? []).map((name) => installed.find((repository) => repository.name === name)?.id);
  const byId = (wish.repository_ids ?? []).map((id) => installed.find((repository) => repository.id === id)?.id);
  return [...byName, ...byId].map((id) => {
    if (id !== undefined) return id;
    throw new Refusal(
      422,
      'There is at least one repository that does not exist or is not accessible to the parent installation.',
    );
  });
}

function narrowPermissions(granted: Permissions, wanted: Permissions | undefined): Permissions {
  if (wanted === undefined) return granted;
  for (const [name, access] of Object.entries(wanted)) {
    if (mayUse(granted, name, access)) continue;
    throw new Refusal(422, 'The permissions requested are not granted to this installation.');
  }
  return { ...wanted, metadata: 'read' };
}
