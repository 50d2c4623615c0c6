/** A batch as it is written becomes one with complete specs: by the repository's file, where it uses templates. */
import { type BatchDocument, type DraftBatch, type Problem, resolveBatch } from '../core/documents/index.ts';
import type { SeenIssues } from './check-batch.ts';
import type { Deps } from './deps.ts';
import type { RepositoryRef, StoredFile } from './ports.ts';
import { FILE_PATH, fileToStart, refreshFile } from './repository-file.ts';

/** `unreadable`: whether anything is wrong with the batch is not known. */
export type ResolvedBatch =
  | { result: 'resolved'; document: BatchDocument }
  | { result: 'invalid'; problems: readonly Problem[] }
  | { result: 'unreadable'; words: string };

export async function resolveDraft(
  deps: Deps,
  repository: RepositoryRef,
  { draft, issues }: { draft: DraftBatch; issues: SeenIssues },
): Promise<ResolvedBatch> {
  const context = {
    repository: repository.fullName,
    issueUrl: (number: number) =>
      issues.get(number)?.url ?? `https://github.com/${repository.fullName}/issues/${number}`,
  };
  if (draft.tasks.every(({ uses }) => uses === null)) {
    await learnPolicy(deps, repository);
    return resultOf(resolveBatch(draft, null, context));
  }
  const found = await fileToStart(deps, repository);
  if (!found.ok) return { result: 'unreadable', words: found.words };
  const wrong = wrongFile(found.stored);
  if (found.file === null && wrong.length > 0) return { result: 'invalid', problems: wrong };
  return resultOf(resolveBatch(draft, found.file, context), wrong);
}

/** What a close of its issues will mean is to be known before its tasks run; what can't be read now, the next sweep reads. */
async function learnPolicy(deps: Deps, repository: RepositoryRef): Promise<void> {
  if ((await deps.store.repositoryFile(repository.id)) === null) await refreshFile(deps, repository);
}

/** Why a template may be missing, or not be what somebody expects. */
function wrongFile({ problems, textSha }: StoredFile): Problem[] {
  if (problems === null) return [];
  const stands = textSha === null ? 'nothing is defined' : `its content ${textSha.slice(0, 10)} stays in force`;
  return [{ path: '', message: `${FILE_PATH} on the default branch is wrong, and ${stands}: ${problems[0]}` }];
}

function resultOf(resolved: ReturnType<typeof resolveBatch>, more: readonly Problem[] = []): ResolvedBatch {
  if (resolved.ok) return { result: 'resolved', document: resolved.value };
  return { result: 'invalid', problems: [...resolved.problems, ...more] };
}
