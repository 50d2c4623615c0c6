/** A pass over a GitHub that can only be asked issue by issue: files, tracked issues and new comments are read, one after the other. */
import { applyChanges, checkAllActive } from '../changes.ts';
import { sweepComments } from '../commands/sweep-comments.ts';
import type { Deps } from '../deps.ts';
import type { Write } from '../ports.ts';
import { refreshFiles } from '../refresh-files.ts';
import type { SweepResult } from './result.ts';

export async function sweepOneByOne(deps: Deps): Promise<SweepResult> {
  // What a close means is known before one is acted on.
  const unread = await refreshFiles(deps);
  const { changes, errors } = await checkAllActive(deps);
  if (changes.length > 0) await journal(deps, 'RECONCILIATION_STARTED', { changes: changes.length });
  const applied = await applyChanges(deps, changes);
  // An issue that was closed after a command was written is known to be by now.
  const unlisted = await sweepComments(deps);
  const result = { changes: changes.length, errors: [...unread, ...errors, ...applied.errors, ...unlisted] };
  for (const { code, message, issue, taskId } of result.errors) {
    deps.log.warn({ issue: issue?.number, task: taskId, code, problem: message }, 'reconciliation error');
    await journal(deps, 'RECONCILIATION_ERROR', { code, message }, issue, taskId);
  }
  return result;
}

async function journal(
  deps: Deps,
  type: string,
  data: Record<string, unknown>,
  issue: { repositoryId: string; number: number } | null = null,
  taskId: string | null = null,
): Promise<void> {
  const place = { repositoryId: issue?.repositoryId ?? null, issueNumber: issue?.number ?? null, batchId: null };
  const write: Write = {
    write: 'event.append',
    event: { type, at: deps.clock(), ...place, taskId, runId: null, data },
  };
  await deps.store.commit([write]);
}
