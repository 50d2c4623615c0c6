/** What people say in comments, from when on they are listed, and the repository's own file. */
import type { Write } from '../../../engine/ports.ts';
import type { Tables } from '../database.ts';
import { guard, insistOnRepository } from './guard.ts';

type Of<Name extends Write['write']> = Extract<Write, { write: Name }>;

export function putFile(tables: Tables, { file }: Of<'file.put'>): void {
  insistOnRepository(tables, file.repositoryId);
  tables.put(tables.files, file.repositoryId, file);
}

export function setCommentsSince(tables: Tables, { repositoryId, from, to }: Of<'comments.since'>): void {
  const known = tables.commentsSince.get(repositoryId);
  guard(tables.repositories.has(repositoryId) && known?.getTime() === from?.getTime());
  tables.put(tables.commentsSince, repositoryId, to);
}

export function insertComment(tables: Tables, { comment }: Of<'comment.insert'>): void {
  guard(!tables.comments.has(comment.id));
  insistOnRepository(tables, comment.repositoryId);
  tables.put(tables.comments, comment.id, comment);
}

export function updateComment(tables: Tables, { id, version, set }: Of<'comment.update'>): void {
  const known = tables.comments.get(id);
  guard(known !== undefined && known.version === version);
  tables.put(tables.comments, id, { ...known, ...set, version: version + 1 });
}
