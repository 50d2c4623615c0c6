/** What most routes begin with: the repository, issue or comment that is meant, as far as the caller may see it. */

import type { CommentPlace } from '../actions/comments.ts';
import type { Actor } from '../actions/issues.ts';
import { notFound, Refusal } from '../http/answer.ts';
import type { ApiRequest } from '../http/router.ts';
import { apiUrl } from '../render/urls.ts';
import type { Caller, Site } from '../site.ts';
import { roleOf } from '../state/roles.ts';
import type { Place, Repository } from '../state/types.ts';
import { findInstallation, findRepository } from '../state/world.ts';

/** Segments of `/repos/acme/widgets/issues/12`. */
const ISSUE_DEPTH = 6;

/** A former name answers with a redirect, also for what lies below it. */
export function findNamedRepository(site: Site, request: ApiRequest): Repository {
  const name = `${request.params.owner}/${request.params.repo}`;
  const repository = findRepository(site.world, name);
  if (repository) return repository;
  const movedTo = site.world.formerNames.get(name.toLowerCase());
  if (movedTo === undefined || !site.world.repositories.has(movedTo)) throw notFound();
  throw moved(site, request, `/repositories/${movedTo}`, 4);
}

export function visibleRepository(site: Site, request: ApiRequest): Repository {
  const repository = findNamedRepository(site, request);
  if (!isVisible(site, request.caller, repository)) throw notFound();
  return repository;
}

export function isVisible(site: Site, caller: Caller, repository: Repository): boolean {
  if (caller.kind === 'app') return false;
  if (caller.kind === 'user') return roleOf(repository, caller.user).role !== 'none';
  if (!repository.private) return true;
  return isReached(site, caller, repository);
}

/** Whether an installation's token is good for more than a public look at the repository. */
function isReached(site: Site, caller: Extract<Caller, { kind: 'installation' }>, repository: Repository): boolean {
  const { installationId, repositoryIds } = caller.token;
  if (findInstallation(site.world, repository)?.id !== installationId) return false;
  return repositoryIds === null || repositoryIds.includes(repository.id);
}

export function visibleIssue(site: Site, request: ApiRequest): Place {
  const repository = visibleRepository(site, request);
  const number = Number(request.params.issue_number);
  const issue = repository.issues.get(number);
  if (issue) return { repository, issue };
  const gone = repository.gone.get(number);
  if (gone?.kind === 'deleted') throw new Refusal(410, 'This issue was deleted');
  if (gone?.kind !== 'transferred' || isBelowIssue(request)) throw notFound();
  throw moved(site, request, `/repositories/${gone.repositoryId}/issues/${gone.number}`, ISSUE_DEPTH);
}

/** A transferred issue leads to its new place, and nothing below it does: https://github.com/Systemorph/MeshWeaver/issues/4629 */
function isBelowIssue({ path }: ApiRequest): boolean {
  return path.split('/').length > ISSUE_DEPTH;
}

export function visibleComment(site: Site, request: ApiRequest): CommentPlace {
  const repository = visibleRepository(site, request);
  const comment = repository.comments.get(Number(request.params.comment_id));
  if (comment === undefined) throw notFound();
  return { repository, comment };
}

/** The caller as the author of a change, which an installation may make only where the app is installed. */
export function actorIn(site: Site, request: ApiRequest, repository: Repository): Actor {
  const { caller } = request;
  if (caller.kind === 'app') throw notFound();
  if (caller.kind === 'installation' && !isReached(site, caller, repository)) {
    throw new Refusal(403, 'Resource not accessible by integration');
  }
  // https://github.com/r-universe-org/help/issues/247
  if (repository.archived) throw new Refusal(403, 'Repository was archived so is read-only.');
  return { user: caller.user, via: caller.kind === 'installation' ? site.app : null };
}

/** What was asked for below the first `depth` segments is asked for at the new place; only reads may change their method. */
function moved(site: Site, request: ApiRequest, place: string, depth: number): Refusal {
  const below = request.path.split('/').slice(depth);
  const search = request.query.size > 0 ? `?${request.query}` : '';
  const url = apiUrl(site, [place, ...below].join('/') + search);
  const details = { body: { url }, headers: { location: url } };
  if (request.method === 'GET') return new Refusal(301, 'Moved Permanently', details);
  return new Refusal(307, 'Temporary Redirect', details);
}
