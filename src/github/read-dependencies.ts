/** What an issue is blocked by, by GitHub's own dependencies, wherever those issues are. */
import { z } from 'zod';
import type { Dependency, IssueReading, RepositoryRef } from '../engine/ports.ts';
import { GitHubError } from '../engine/ports.ts';
import { bodyOf, type GitHubClient, type Reply } from './client.ts';
import { hasNextPage } from './link.ts';
import { confirmReadable, findRepository } from './read-repository.ts';
import { blockerSchema, issueSchema, toSnapshot } from './schemas.ts';

/** GitHub allows 50 of each kind. More than this is not cut: some of them would not be waited for. */
const MOST = 100;

type Blocker = z.infer<typeof blockerSchema>;
type Find = (fullName: string) => Promise<RepositoryRef | null>;

export interface Dependencies {
  read(repository: RepositoryRef, number: number): Promise<readonly Dependency[]>;
  /** An issue that tells how many it has is of a GitHub that has them, as after an update. */
  note(reading: IssueReading): void;
}

/** A GitHub without dependencies is asked for them once. */
export function makeDependencies(client: GitHubClient): Dependencies {
  let isLacking = false;
  return {
    async read(repository, number) {
      if (isLacking) return [];
      const blockers = await readBlockers(client, repository, number);
      isLacking = blockers === 'lacking';
      return blockers === 'lacking' ? [] : resolve(client, repository, blockers);
    },
    note(reading) {
      if (reading.found === 'issue' && reading.issue.blockedByCount !== null) isLacking = false;
    },
  };
}

async function resolve(
  client: GitHubClient,
  repository: RepositoryRef,
  blockers: readonly Blocker[],
): Promise<readonly Dependency[]> {
  const find = makeFind(client, repository);
  const dependencies: Dependency[] = [];
  for (const blocker of blockers) {
    const fullName = fullNameOf(blocker);
    dependencies.push({
      repository: await find(fullName),
      label: `${fullName}#${blocker.number}`,
      number: blocker.number,
      issue: toSnapshot(blocker, blocker.state === 'closed' ? (blocker.closed_by?.login ?? null) : null),
    });
  }
  return dependencies;
}

async function readBlockers(
  client: GitHubClient,
  repository: RepositoryRef,
  number: number,
): Promise<Blocker[] | 'lacking'> {
  const blockers: Blocker[] = [];
  for (let page = 1; ; page += 1) {
    const parameters = { issue_number: number, per_page: 100, page };
    const route = 'GET /repos/{owner}/{repo}/issues/{issue_number}/dependencies/blocked_by';
    const reply = await client.call(repository, route, parameters);
    if (reply.status === 404 && page === 1) return confirmUnknown(client, repository, number, reply);
    blockers.push(...bodyOf(reply, z.array(blockerSchema)));
    if (blockers.length > MOST) throw new GitHubError('refused', `${reply.call}: more than ${MOST} issues`);
    if (!hasNextPage(reply)) return blockers;
  }
}

/**
 * A GitHub without dependencies says 404 of an issue that it shows, and shows no count of them. Of an issue that is gone, 404 tells
 * nothing.
 */
async function confirmUnknown(
  client: GitHubClient,
  repository: RepositoryRef,
  number: number,
  reply: Reply,
): Promise<Blocker[] | 'lacking'> {
  await confirmReadable(client, repository, reply);
  const parameters = { issue_number: number };
  const issue = await client.call(repository, 'GET /repos/{owner}/{repo}/issues/{issue_number}', parameters);
  const shown = bodyOf(issue, issueSchema);
  if (shown.number !== number) throw reply.error();
  return shown.issue_dependencies_summary == null ? 'lacking' : [];
}

/** Each repository is looked up once, its own not at all. */
function makeFind(client: GitHubClient, own: RepositoryRef): Find {
  const found = new Map<string, Promise<RepositoryRef | null>>([[own.fullName.toLowerCase(), Promise.resolve(own)]]);
  return (fullName) => {
    const key = fullName.toLowerCase();
    const looking = found.get(key) ?? findReadable(client, fullName);
    found.set(key, looking);
    return looking;
  };
}

async function findReadable(client: GitHubClient, fullName: string): Promise<RepositoryRef | null> {
  try {
    return await findRepository(client, fullName);
  } catch (error) {
    if (error instanceof GitHubError && error.code === 'lost_access') return null;
    throw error;
  }
}

function fullNameOf({ repository_url }: Blocker): string {
  return repository_url.split('/').slice(-2).join('/');
}
