/** Who is calling, and whether this caller may use this operation at all. What they may do in a repository is asked there. */
import { badCredentials, Refusal } from '../http/answer.ts';
import type { Route } from '../http/router.ts';
import { type Caller, mayUse, type Site } from '../site.ts';
import { findJwtProblem } from './jwt.ts';

/** The credential as sent; null: none. */
export function readCredential(authorization: string | undefined): string | null {
  const found = /^(?:bearer|token)\s+(\S+)$/i.exec(authorization ?? '');
  return found?.[1] ?? null;
}

export function authenticate(site: Site, credential: string | null): Caller {
  if (credential === null) throw new Refusal(401, 'Requires authentication');
  if (credential.split('.').length === 3) return authenticateApp(site, credential);
  const person = site.tokens.personal.get(credential);
  if (person) return { kind: 'user', user: person };
  return authenticateInstallation(site, credential);
}

function authenticateApp(site: Site, jwt: string): Caller {
  const problem = findJwtProblem(jwt, site);
  if (problem !== null) throw new Refusal(401, problem);
  return { kind: 'app' };
}

function authenticateInstallation(site: Site, credential: string): Caller {
  const token = site.tokens.issued.get(credential);
  if (token === undefined || token.expiresAt <= site.now()) throw badCredentials();
  const installation = site.world.installations.get(token.installationId);
  if (installation === undefined) throw badCredentials();
  if (installation.suspendedAt !== null) throw new Refusal(403, 'This installation has been suspended');
  return { kind: 'installation', token, user: site.app.bot };
}

export function authorizeOperation(caller: Caller, route: Route): void {
  if (!isKindAllowed(caller.kind, route.as)) throw refuseKind(route.as);
  if (caller.kind !== 'installation' || route.permission === undefined) return;
  const [name, access] = route.permission;
  if (!mayUse(caller.token.permissions, name, access)) {
    throw new Refusal(403, 'Resource not accessible by integration', {
      headers: { 'x-accepted-github-permissions': `${name}=${access}` },
    });
  }
}

function isKindAllowed(kind: Caller['kind'], as: Route['as']): boolean {
  if (as === 'anyone') return true;
  return as === 'token' ? kind !== 'app' : kind === as;
}

function refuseKind(as: Route['as']): Refusal {
  if (as === 'app') return new Refusal(401, 'A JSON web token could not be decoded');
  if (as === 'token') return badCredentials();
  if (as === 'user') return new Refusal(403, 'Resource not accessible by integration');
  return new Refusal(403, 'You must authenticate with an installation access token in order to list repositories.');
}

/** Accounts are charged by installation, person or app, whatever token they use. */
export function accountOf(caller: Caller): string {
  if (caller.kind === 'app') return 'app';
  return caller.kind === 'user' ? `user ${caller.user.login}` : `installation ${caller.token.installationId}`;
}
