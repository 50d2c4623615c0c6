/** What the sweep reads: what is known of each repository, and its tracked issues in pages. */
import type { EndedBy } from '../../core/plan/reopen.ts';
import { isEnded } from '../../core/task.ts';
import type { RepositoryState, StoreReads } from '../../engine/ports.ts';
import { issueId, type KnownState, type Tables } from './database.ts';
import { sortBy } from './sort.ts';
import { readTrackedIssues } from './tracked-issues.ts';

type SweepReads = Pick<
  StoreReads,
  | 'repositoryState'
  | 'repositoryStates'
  | 'trackedRepositories'
  | 'isTracked'
  | 'trackedNumbers'
  | 'issuesOf'
  | 'blockersAmong'
  | 'unfinishedTasks'
>;

/** Of a repository that nothing was ever said of but its name. */
export const NOTHING_KNOWN: KnownState = Object.freeze({
  issuesSince: null,
  issuesEtag: null,
  sweptAt: null,
  verifiedAt: null,
  sweepProblem: null,
  access: 'ok',
  accessSince: null,
});

export function readState({ repositories, states, commentsSince }: Tables, id: string): RepositoryState | null {
  const repository = repositories.get(id);
  if (repository === undefined) return null;
  const known = { ...NOTHING_KNOWN, ...states.get(id), commentsSince: commentsSince.get(id) ?? null };
  return structuredClone({ ...repository, ...known });
}

/** By id. */
export function readStates(tables: Tables): RepositoryState[] {
  return sortBy(tables.repositories.keys(), (id) => [id]).flatMap((id) => readState(tables, id) ?? []);
}

export function makeSweepReads(tables: Tables): SweepReads {
  const { repositories, issues, blockers, tasks } = tables;
  const trackedOf = (since: Date, endedBy?: EndedBy) => readTrackedIssues(tables, since, endedBy);

  function trackedRepositories(since: Date, endedBy?: EndedBy): string[] {
    const ids = new Set(trackedOf(since, endedBy).map(({ repositoryId }) => repositoryId));
    return [...ids].filter((id) => repositories.has(id));
  }

  return {
    repositoryState: async (id) => readState(tables, id),
    repositoryStates: async () => readStates(tables),
    trackedRepositories: async (since) => trackedRepositories(since),
    isTracked: async (id, since, endedBy) => trackedRepositories(since, endedBy).includes(id),
    trackedNumbers: async (id, { since, endedBy, after, limit }) =>
      trackedOf(since, endedBy)
        .filter(({ repositoryId, number }) => repositoryId === id && number > after)
        .map(({ number }) => number)
        .slice(0, limit),
    issuesOf: async (repositoryId, numbers) =>
      structuredClone(numbers.flatMap((number) => issues.get(issueId({ repositoryId, number })) ?? [])),
    blockersAmong: async (repositoryId, numbers) =>
      structuredClone(
        [...blockers.values()].filter((edge) => edge.repositoryId === repositoryId && numbers.includes(edge.number)),
      ),
    unfinishedTasks: async (repositoryId, limit) => {
      const found = [...tasks.values()].filter((task) => task.repositoryId === repositoryId && !isEnded(task.state));
      const newestFirst = sortBy(found, ({ createdAt, id }) => [createdAt, id]).reverse();
      return structuredClone(newestFirst.slice(0, limit));
    },
  };
}
