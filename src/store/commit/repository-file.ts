import { sqltag as sql } from '@prisma/client/runtime/client';
import type { StoredFile } from '../../engine/ports.ts';
import type { Statements } from '../database.ts';
import { toFileRow } from '../rows/repository-file.ts';

/** One statement, because on PostgreSQL a failed insert would end the transaction. */
export async function putFile(tx: Statements, file: StoredFile): Promise<void> {
  const row = toFileRow(file);
  await tx.$executeRaw(sql`
    INSERT INTO repository_files (repository_id, etag, sha, text, text_sha, problems, checked_at)
    VALUES (${row.repositoryId}, ${row.etag}, ${row.sha}, ${row.text}, ${row.textSha}, ${row.problems}, ${row.checkedAt})
    ON CONFLICT (repository_id) DO UPDATE SET
      etag = excluded.etag, sha = excluded.sha, text = excluded.text, text_sha = excluded.text_sha,
      problems = excluded.problems, checked_at = excluded.checked_at`);
}
