/** All that the App is installed on, as far as it can be read: what is missing here proves nothing. */
import { z } from 'zod';
import type { InstalledRepository } from '../engine/ports.ts';
import { GitHubError } from '../engine/ports.ts';
import { bodyOf, type GitHubClient } from './client.ts';
import { makeGate } from './gate.ts';
import { hasNextPage } from './link.ts';
import { installationSchema, installedSchema } from './schemas.ts';

/** Installations that are read at once. */
const AT_ONCE = 8;

/** Throws `GitHubError` where the installations themselves can't be listed. What one of them doesn't show is left out. */
export async function installedRepositories(client: GitHubClient): Promise<readonly InstalledRepository[]> {
  if (client.mode === 'token') return [];
  const gate = makeGate(AT_ONCE);
  let isThrottled = false;

  async function list(installationId: number): Promise<readonly InstalledRepository[]> {
    const listed: InstalledRepository[] = [];
    for (let page = 1; !isThrottled; page += 1) {
      const read = await readPage(client, installationId, page);
      isThrottled ||= read.isThrottled;
      for (const { id, full_name, archived } of read.repositories) {
        listed.push({ id, fullName: full_name, installationId, ...(archived ? { archived } : {}) });
      }
      if (read.repositories.length === 0 || !read.hasMore) break;
    }
    return listed;
  }

  const ids = await listInstallations(client);
  const lists = await Promise.all(ids.map((id) => gate(() => list(id))));
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

/** Empty where it can't be read. `isThrottled`: the App itself gets no more tokens for now, for this installation or any. */
async function readPage(client: GitHubClient, installationId: number, page: number) {
  const nothing = { repositories: [], hasMore: false };
  try {
    const parameters = { per_page: 100, page };
    const route = 'GET /installation/repositories';
    const reply = await client.callAsInstallation(installationId, route, parameters).catch(noToken);
    if (reply === 'throttled') return { ...nothing, isThrottled: true };
    return {
      repositories: bodyOf(reply, installedSchema).repositories,
      hasMore: hasNextPage(reply),
      isThrottled: false,
    };
  } catch (error) {
    if (error instanceof GitHubError) return { ...nothing, isThrottled: false };
    throw error;
  }
}

/** Answers about repositories are replies; what is thrown is about the token, or that no answer came. */
function noToken(error: unknown): 'throttled' {
  if (error instanceof GitHubError && error.code === 'throttled') return 'throttled';
  throw error;
}
