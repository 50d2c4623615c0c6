/** What GitHub tells of an issue's blockers now: its dependencies and the lines of its body, with the issues that they name. */
import type { IssueBlocker } from '../core/blockers/blocker.ts';
import type { ToldBlocker } from '../core/blockers/plan.ts';
import type { IssueRef, TrackedIssue } from '../core/issue.ts';
import type { Deps } from './deps.ts';
import { GitHubError, type GitHubReader, type RepositoryRef } from './ports.ts';
import { readIssue, repositoryOf } from './read-issue.ts';

/** No issue has that number. */
const HIDDEN = 0;

interface Named {
  told: ToldBlocker;
  /** null: it can't be read here. */
  repository: RepositoryRef | null;
}

/** Throws `GitHubError` unless all of it could be read. Issues that `edges` don't know are read live before they are told. */
export async function readBlockers(
  deps: Deps & { github: GitHubReader },
  issue: TrackedIssue,
  edges: readonly IssueBlocker[],
): Promise<readonly ToldBlocker[]> {
  const own = await repositoryOf(deps, issue.repositoryId);
  const named = [...(await readDependencies(deps, own, issue)), ...(await resolveLines(deps, own, issue))];
  const told: ToldBlocker[] = [];
  for (const one of named) {
    // An issue that names itself must not move under the look that is at it.
    const isSettled = isAbout(one, issue) || edges.some(({ blocker }) => isAbout(one, blocker));
    told.push(isSettled ? one.told : await readNamed(deps, one));
  }
  return told;
}

async function readDependencies(
  { github }: { github: GitHubReader },
  own: RepositoryRef,
  { number, blockedByCount }: TrackedIssue,
): Promise<Named[]> {
  if (blockedByCount === 0) return [];
  const dependencies = await github.readDependencies(own, number);
  const visible = dependencies.map((dependency) => named('dependency', dependency.label, dependency));
  if ((blockedByCount ?? 0) <= visible.length) return visible;
  // It was counted before it was listed: what was taken away in between is not hidden.
  const again = await github.readIssue(own, number);
  const counted = again.found === 'issue' ? (again.issue.blockedByCount ?? 0) : 0;
  return [...visible, ...hiddenOnes(Math.min(blockedByCount ?? 0, counted) - visible.length)];
}

/** GitHub counts blockers in repositories that the App can't see, and lists them not: they block like any that can't be read. */
function hiddenOnes(count: number): Named[] {
  const places = Array.from({ length: Math.max(0, count) }, (_, index) => index + 1);
  return places.map((place) => named('dependency', `hidden#${place}`, { repository: null, number: HIDDEN }));
}

async function resolveLines(
  deps: Deps & { github: GitHubReader },
  own: RepositoryRef,
  { dependsOn }: TrackedIssue,
): Promise<Named[]> {
  const found = new Map<string, RepositoryRef | null>([[own.fullName.toLowerCase(), own]]);
  const lines: Named[] = [];
  for (const line of dependsOn) {
    const { fullName, number } = parseLine(line, own);
    const key = fullName.toLowerCase();
    const repository = found.has(key) ? (found.get(key) ?? null) : await findRepository(deps, fullName);
    found.set(key, repository);
    lines.push(named('body', `${repository?.fullName ?? fullName}#${number}`, { repository, number }));
  }
  return lines;
}

function parseLine(line: string, own: RepositoryRef): { fullName: string; number: number } {
  const at = line.lastIndexOf('#');
  return { fullName: line.slice(0, at) || own.fullName, number: Number(line.slice(at + 1)) };
}

async function findRepository(
  { store, github }: Deps & { github: GitHubReader },
  fullName: string,
): Promise<RepositoryRef | null> {
  return (await store.repositoryByName(fullName)) ?? github.findRepository(fullName);
}

function named(
  source: ToldBlocker['source'],
  label: string,
  of: Pick<Named, 'repository'> & { number: number },
): Named {
  const blocker = { repositoryId: of.repository?.id ?? null, number: of.number };
  return { told: { source, label, blocker }, repository: of.repository };
}

function isAbout({ told }: Named, { repositoryId, number }: IssueBlocker['blocker']): boolean {
  return told.blocker.repositoryId === repositoryId && told.blocker.number === number;
}

/** With a row of the issue as it is now, where there is one: what is stored may be of long ago, and nobody looks after it yet. */
async function readNamed(deps: Deps, { told, repository }: Named): Promise<ToldBlocker> {
  if (repository === null) return told;
  await keepRepository(deps, repository);
  const ref: IssueRef = { repositoryId: repository.id, number: told.blocker.number };
  try {
    await readIssue(deps, ref);
    return told;
  } catch (error) {
    const isFinal = error instanceof GitHubError && (error.code === 'lost_access' || error.code === 'refused');
    if (!isFinal) throw error;
    deps.log.warn(
      { repository_id: ref.repositoryId, issue: ref.number, code: error.code },
      'blocking issue unreadable',
    );
    return { ...told, blocker: { ...told.blocker, repositoryId: null } };
  }
}

async function keepRepository({ store }: Deps, repository: RepositoryRef): Promise<void> {
  const known = await store.repository(repository.id);
  const same = known?.fullName === repository.fullName && known.installationId === repository.installationId;
  if (!same) await store.commit([{ write: 'repository.put', repository }]);
}
