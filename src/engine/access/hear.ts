/** What an event about installations and repositories asks for: looks, and nothing else. */
import type { Deps } from '../deps.ts';
import { accessKey, DISCOVER_KEY, fileKey, repositoryKey, verifyKey } from '../keys.ts';
import type { Hint, RepositoryState, Write } from '../ports.ts';

type AccessHint = Extract<Hint, { kind: 'access' }>;

/** After these there may be repositories that nothing is known of yet; which, GitHub's own list tells. */
const MAY_BRING_NEW = [
  'installation.created',
  'installation.unsuspend',
  'installation_repositories.added',
  'repository.transferred',
];
/** After this everything may be readable that was not. */
const MAY_READ_MORE = 'installation.new_permissions_accepted';

/** null: it is about nothing that is known here. */
export async function accessWrites({ store, clock }: Deps, hint: AccessHint): Promise<Write[] | null> {
  const now = clock();
  const enqueue = (key: string): Write => ({ write: 'work.enqueue', key, dueAt: now });
  const named = new Set(hint.repositories.map(({ id }) => id));
  const isOfAll = hint.action.startsWith('installation.') || hint.action.startsWith('installation_target.');
  const states = await store.repositoryStates();
  // What is about the whole installation may name some of its repositories, and none of those that are known under an older one.
  const meant = states.filter((state) => named.has(state.id) || (isOfAll && isOf(state, hint)));
  const writes = meant.map(({ id }) => enqueue(accessKey(id)));
  if (hint.action === MAY_READ_MORE) {
    writes.push(...meant.flatMap(({ id }) => [repositoryKey(id), verifyKey(id), fileKey(id)].map(enqueue)));
  }
  if (MAY_BRING_NEW.includes(hint.action)) writes.push(enqueue(DISCOVER_KEY));
  return writes.length === 0 ? null : writes;
}

function isOf({ installationId }: RepositoryState, hint: AccessHint): boolean {
  return installationId !== null && installationId === hint.installationId;
}
