/** What is known of a repository beyond its name, and of deliveries that did not arrive. */
import type { Write } from '../../../engine/ports.ts';
import type { Tables } from '../database.ts';
import { NOTHING_KNOWN } from '../sweep-reads.ts';
import { guard } from './guard.ts';

type Of<Name extends Write['write']> = Extract<Write, { write: Name }>;

export function setIssuesSince(tables: Tables, { repositoryId, from, to, etag }: Of<'issues.since'>): void {
  const known = tables.states.get(repositoryId) ?? NOTHING_KNOWN;
  guard(tables.repositories.has(repositoryId) && known.issuesSince?.getTime() === from?.getTime());
  tables.put(tables.states, repositoryId, { ...known, issuesSince: to, issuesEtag: etag });
}

export function setRepositoryState(tables: Tables, { repositoryId, set }: Of<'repository.state'>): void {
  if (!tables.repositories.has(repositoryId)) return;
  const known = tables.states.get(repositoryId) ?? NOTHING_KNOWN;
  const back = set.access === 'ok' ? { accessSince: null } : {};
  tables.put(tables.states, repositoryId, { ...known, ...set, ...back });
}

export function putMissed(tables: Tables, { missed }: Of<'missed.put'>): void {
  tables.put(tables.missed, missed.guid, missed);
}

export function putCursor(tables: Tables, { name, value }: Of<'cursor.put'>): void {
  tables.put(tables.cursors, name, value);
}
