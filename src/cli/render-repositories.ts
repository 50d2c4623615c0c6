/** Repositories, and how old what is known of them is, as text for people. */
import { age } from '../core/report/text.ts';
import { ageOf } from './render-issue.ts';
import { table } from './table.ts';
import type { RepositoryView } from './views.ts';

export function renderRepositories(repositories: readonly RepositoryView[], now: Date): string {
  if (repositories.length === 0) return 'No repositories.\n';
  const rows = repositories.map((repository) => row(repository, now));
  return table([['REPOSITORY', 'ACCESS', 'SWEPT', 'VERIFIED', 'PROBLEM'], ...rows]);
}

function row(repository: RepositoryView, now: Date): string[] {
  const { full_name: name, access, access_since: since, verified_at: verifiedAt, problem } = repository;
  const seconds = repository.data_age_seconds;
  return [
    name,
    since === null ? access : `${access} for ${age(new Date(since), now)}`,
    seconds === null ? 'never' : `${ageOf(seconds)} ago`,
    verifiedAt === null ? 'never' : `${age(new Date(verifiedAt), now)} ago`,
    problem === null ? '' : `for ${age(new Date(problem.since), now)}: ${problem.code}: ${problem.message}`,
  ];
}
