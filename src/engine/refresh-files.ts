/** The repositories' files at each sweep: what no push has told of. A failure is that repository's own. */
import { activeIssues } from './active-issues.ts';
import type { ReconciliationError } from './changes.ts';
import type { Deps } from './deps.ts';
import { eachOf } from './each-of.ts';
import type { RepositoryRef } from './ports.ts';
import { FILE_PATH, refreshFile } from './repository-file.ts';

const AT_ONCE = 8;

/** Of repositories that have one, and of those where one would count now. */
export async function refreshFiles(deps: Deps): Promise<readonly ReconciliationError[]> {
  if (deps.github?.readFile === undefined) return [];
  const active = new Set((await activeIssues(deps)).map(({ repositoryId }) => repositoryId));
  const errors: ReconciliationError[] = [];
  await eachOf(await deps.store.repositories(), AT_ONCE, async (repository) => {
    const stored = await deps.store.repositoryFile(repository.id);
    if (stored?.sha == null && !active.has(repository.id)) return;
    errors.push(...(await errorsOf(deps, repository)));
  });
  return errors;
}

async function errorsOf(deps: Deps, repository: RepositoryRef): Promise<ReconciliationError[]> {
  const told = (code: string, message: string) => [
    { taskId: null, issue: null, code, message: `${FILE_PATH} of ${repository.fullName}: ${message}` },
  ];
  try {
    const refreshed = await refreshFile(deps, repository);
    if (refreshed.result === 'read' || refreshed.error === null) return [];
    const { code, message } = refreshed.error;
    if (code !== 'lost_access') return told(code, message);
    // For as long as the App may not read files; who needs it is told so at once.
    deps.log.debug({ repository: repository.fullName, problem: message }, 'file unreadable');
    return [];
  } catch (error) {
    return told('internal', error instanceof Error ? error.message : String(error));
  }
}
