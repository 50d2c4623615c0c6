/**
 * What a login may do in a repository, at the time of asking; whatever can't be placed counts as `none`.
 *
 * The permission endpoint knows no bots. An App's declared `issues: write` counts as write instead: it is asked only about who
 * was seen to act in the repository, and GitHub lets no App act where it is not installed with that permission.
 */
import type { z } from 'zod';
import { PERMISSIONS, type Permission } from '../core/policy.ts';
import type { RepositoryRef } from '../engine/ports.ts';
import { isGitHubsWord } from './classify.ts';
import { bodyOf, type GitHubClient } from './client.ts';
import { confirmReadable } from './read-repository.ts';
import { appSchema, permissionSchema } from './schemas.ts';
import type { ReadViewer } from './viewer.ts';

export type ReadPermission = (repository: RepositoryRef, login: string) => Promise<Permission>;

export function makeReadPermission(client: GitHubClient, viewer: ReadViewer): ReadPermission {
  return (repository, login) =>
    login.endsWith('[bot]') ? readOfBot(client, viewer, repository, login) : readOfPerson(client, repository, login);
}

async function readOfPerson(client: GitHubClient, repository: RepositoryRef, username: string): Promise<Permission> {
  const route = 'GET /repos/{owner}/{repo}/collaborators/{username}/permission';
  const reply = await client.call(repository, route, { username });
  if (reply.status === 404) {
    await confirmReadable(client, repository, reply);
    return 'none';
  }
  const held = permissionOf(bodyOf(reply, permissionSchema));
  return held === 'read' && !(await isCollaborator(client, repository, username)) ? 'none' : held;
}

/** In a public repository everybody is said to hold `read`. */
async function isCollaborator(client: GitHubClient, repository: RepositoryRef, username: string): Promise<boolean> {
  const reply = await client.call(repository, 'GET /repos/{owner}/{repo}/collaborators/{username}', { username });
  if (reply.status !== 204 && reply.status !== 404) throw reply.error();
  return reply.status === 204;
}

async function readOfBot(
  client: GitHubClient,
  viewer: ReadViewer,
  repository: RepositoryRef,
  login: string,
): Promise<Permission> {
  const we = client.mode === 'app' ? await viewer() : null;
  if (we?.login === login) return rankOfApp(we.permissions);
  const app_slug = login.slice(0, -'[bot]'.length);
  const reply = await client.call(repository, 'GET /apps/{app_slug}', { app_slug });
  if (reply.status === 404 && isGitHubsWord(reply)) return 'none';
  return rankOfApp(bodyOf(reply, appSchema).permissions);
}

function rankOfApp(permissions: Readonly<Record<string, string>>): Permission {
  return permissions.issues === 'write' ? 'write' : 'none';
}

/** A custom role counts as the highest of GitHub's own roles that its grants amount to. */
function permissionOf({ permission, role_name, user }: z.infer<typeof permissionSchema>): Permission {
  const role = PERMISSIONS.find((name) => name === role_name);
  if (role !== undefined) return role;
  const grants = user?.permissions;
  if (!grants) return PERMISSIONS.find((name) => name === permission) ?? 'none';
  if (grants.admin) return 'admin';
  if (grants.maintain) return 'maintain';
  if (grants.push) return 'write';
  if (grants.triage) return 'triage';
  return grants.pull ? 'read' : 'none';
}
