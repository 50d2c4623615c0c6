/** All that the App is installed on, as far as it can be read: what is missing here proves nothing. */
import { z } from 'zod';
import type { RepositoryRef } from '../engine/ports.ts';
import { GitHubError } from '../engine/ports.ts';
import { bodyOf, type GitHubClient } from './client.ts';
import { makeGate } from './gate.ts';
import { hasNextPage } from './link.ts';
import { installationSchema, installedSchema } from './schemas.ts';

/** Installations that are read at once. */
const AT_ONCE = 8;

/** Throws `GitHubError` where the installations themselves can't be listed. What one of them doesn't show is left out. */
export async function installedRepositories(client: GitHubClient): Promise<readonly RepositoryRef[]> {
  if (client.mode === 'token') return [];
  const gate = makeGate(AT_ONCE);
  const ids = await listInstallations(client);
  const lists = await Promise.all(ids.map((id) => gate(() => listRepositories(client, id))));
  // What is added meanwhile moves others to the next page, where they are listed again.
  return [...new Map(lists.flat().map((repository) => [repository.id, repository])).values()];
}

async function listInstallations(client: GitHubClient): Promise<readonly number[]> {
  const ids = new Set<number>();
  for (let page = 1; ; page += 1) {
    const reply = await client.callAsApp(null, 'GET /app/installations', { per_page: 100, page });
    const installations = bodyOf(reply, z.array(installationSchema));
    for (const { id, suspended_at } of installations) if (suspended_at == null) ids.add(id);
    if (installations.length === 0 || !hasNextPage(reply)) return [...ids];
  }
}

async function listRepositories(client: GitHubClient, installationId: number): Promise<readonly RepositoryRef[]> {
  const listed: RepositoryRef[] = [];
  for (let page = 1; ; page += 1) {
    const repositories = await readPage(client, installationId, page);
    for (const { id, full_name } of repositories.list) listed.push({ id, fullName: full_name, installationId });
    if (repositories.list.length === 0 || !repositories.hasMore) return listed;
  }
}

/** Empty where it can't be read. */
async function readPage(client: GitHubClient, installationId: number, page: number) {
  try {
    const parameters = { per_page: 100, page };
    const reply = await client.callAsInstallation(installationId, 'GET /installation/repositories', parameters);
    return { list: bodyOf(reply, installedSchema).repositories, hasMore: hasNextPage(reply) };
  } catch (error) {
    if (error instanceof GitHubError) return { list: [], hasMore: false };
    throw error;
  }
}
