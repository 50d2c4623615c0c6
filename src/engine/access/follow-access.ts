/** One repository: whether it can still be reached, and what follows. Idempotent; every wait is a row. */
import { GONE_GRACE_MS, stopsAt } from '../../core/access.ts';
import type { Deps } from '../deps.ts';
import { repositoryEvent } from '../journal.ts';
import { accessKey, fileKey, repositoryKey, SCHEDULE_KEY, verifyKey } from '../keys.ts';
import type { Access, RepositoryAccess, RepositoryRef, RepositoryState, Write } from '../ports.ts';
import { giveUp } from './give-up.ts';
import { statusOfIssues } from './status.ts';

/** Throws `GitHubError` where GitHub gave no answer that counts: nothing changes, and its key is tried again. */
export async function followAccess(deps: Deps, repositoryId: string): Promise<void> {
  const { store, github } = deps;
  const state = await store.repositoryState(repositoryId);
  if (state === null || github?.readAccess === undefined) return;
  const askedAt = deps.clock();
  const told = await github.readAccess(state);
  // Before the grace began to run nobody may end anything; where it was over before GitHub was asked, this answer is the one that confirms it.
  const goneSince = state.access === 'gone' ? state.accessSince : null;
  await keep(deps, state, told);
  if (told.access !== 'gone') return;
  const stopAt = stopsAt(goneSince ?? deps.clock(), deps.goneGraceMs ?? GONE_GRACE_MS);
  if (goneSince !== null && askedAt >= stopAt) return giveUp(deps, state, goneSince);
  await store.queue.enqueue([{ key: accessKey(repositoryId), dueAt: stopAt }]);
}

async function keep(deps: Deps, state: RepositoryState, told: Access): Promise<void> {
  const now = deps.clock();
  const access = accessOf(told);
  const writes: Write[] = [];
  const here = told.access === 'ok' && !isSame(told.repository, state) ? told.repository : null;
  if (here !== null) {
    const data = { from: state.fullName, to: here.fullName, installation: here.installationId };
    writes.push(
      { write: 'repository.put', repository: here },
      repositoryEvent('REPOSITORY_MOVED', now, state.id, data),
    );
  }
  if (access !== state.access) {
    const why = told.access === 'gone' ? { why: told.why } : {};
    const data = { repository: state.fullName, from: state.access, to: access, ...why };
    if (state.accessSince !== null && access === 'ok')
      writes.push(...(await statusOfIssues(deps, state.id, state.accessSince)));
    writes.push(
      { write: 'repository.state', repositoryId: state.id, set: { access, accessSince: now } },
      repositoryEvent('REPOSITORY_ACCESS_CHANGED', now, state.id, data),
    );
    deps.log.warn(data, 'the repository can be reached otherwise than before');
  }
  if (access !== state.access || here !== null) writes.push(...looks(state.id, access, now));
  if (writes.length > 0) await deps.store.commit(writes);
}

/** What happened meanwhile is found at once, and what waits may start. */
function looks(id: string, access: RepositoryAccess, dueAt: Date): Write[] {
  const keys = access === 'ok' || access === 'archived' ? [repositoryKey(id), verifyKey(id), fileKey(id)] : [];
  return [...keys, SCHEDULE_KEY].map((key) => ({ write: 'work.enqueue', key, dueAt }));
}

function accessOf(told: Access): RepositoryAccess {
  if (told.access !== 'ok') return told.access;
  return told.archived ? 'archived' : 'ok';
}

function isSame(a: RepositoryRef, b: RepositoryRef): boolean {
  return a.fullName === b.fullName && a.installationId === b.installationId;
}
