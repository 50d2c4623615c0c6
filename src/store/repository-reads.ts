/** Repositories, their own files, and what people say in their comments. */
import type { StoreReads } from '../engine/ports.ts';
import { inOrderOfMaking } from './comment-order.ts';
import type { Database } from './database.ts';
import { orNull } from './or-null.ts';
import { fromCommentRow } from './rows/comment.ts';
import { fromRepositoryRow, toNameKey } from './rows/repository.ts';
import { fromFileRow } from './rows/repository-file.ts';

type RepositoryReads = Pick<
  StoreReads,
  'repository' | 'repositories' | 'repositoryByName' | 'repositoryFile' | 'commentsSince' | 'comment' | 'dueComments'
>;

export function makeRepositoryReads(db: Database): RepositoryReads {
  return {
    repository: async (id) => orNull(await db.repository.findUnique({ where: { id } }), fromRepositoryRow),
    repositories: async () => (await db.repository.findMany({ orderBy: { id: 'asc' } })).map(fromRepositoryRow),
    repositoryByName: async (fullName) =>
      orNull(await db.repository.findUnique({ where: { nameKey: toNameKey(fullName) } }), fromRepositoryRow),
    repositoryFile: async (repositoryId) =>
      orNull(await db.repositoryFile.findUnique({ where: { repositoryId } }), fromFileRow),
    commentsSince: async (id) => {
      const row = await db.repository.findUnique({ where: { id }, select: { commentsSince: true } });
      return row?.commentsSince ?? null;
    },
    comment: async (id) => orNull(await db.comment.findUnique({ where: { id } }), fromCommentRow),
    dueComments: async ({ repositoryId, number }) => {
      const rows = await db.comment.findMany({ where: { state: 'due', repositoryId, issueNumber: number } });
      return inOrderOfMaking(rows.map(fromCommentRow));
    },
  };
}
