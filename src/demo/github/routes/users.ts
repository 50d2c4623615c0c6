/** Accounts, and who a personal token belongs to. */
import { notFound, ok } from '../http/answer.ts';
import type { ApiRequest, Route } from '../http/router.ts';
import { renderProfile } from '../render/user.ts';
import type { Site } from '../site.ts';
import { findUser } from '../state/world.ts';

export const userRoutes: readonly Route[] = [
  { method: 'GET', operation: '/user', as: 'user', handle: readSelf },
  { method: 'GET', operation: '/users/{username}', as: 'token', handle: readUser },
];

/** Only a person has a self here: an installation is refused, as at GitHub. */
function readSelf(site: Site, request: ApiRequest) {
  if (request.caller.kind !== 'user') throw notFound();
  return ok(renderProfile(site, request.caller.user));
}

function readUser(site: Site, request: ApiRequest) {
  const user = findUser(site.world, request.params.username ?? '');
  if (user === undefined) throw notFound();
  return ok(renderProfile(site, user));
}
