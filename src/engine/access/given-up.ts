/**
 * Whether a repository is given up: it is gone, and GitHub said so once more when the grace was over. The second word is kept with the
 * time that it is about, so that it means nothing any more once the repository was back in between.
 */
import { repositoryEvent } from '../journal.ts';
import type { RepositoryState, Store, Write } from '../ports.ts';

export async function isGivenUp(
  store: Pick<Store, 'repositoryState' | 'cursor'>,
  repositoryId: string,
): Promise<boolean> {
  const state = await store.repositoryState(repositoryId);
  if (state?.access !== 'gone' || state.accessSince === null) return false;
  return (await store.cursor(nameOf(repositoryId))) === state.accessSince.toISOString();
}

/** `since`: when it was first found gone. */
export function giveUpWrites({ id, fullName }: RepositoryState, since: Date, at: Date): Write[] {
  const data = { repository: fullName, since: since.toISOString() };
  return [
    { write: 'cursor.put', name: nameOf(id), value: since.toISOString(), at },
    repositoryEvent('REPOSITORY_GIVEN_UP', at, id, data),
  ];
}

function nameOf(repositoryId: string): string {
  return `gone:${repositoryId}`;
}
