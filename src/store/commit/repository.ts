import { sqltag as sql } from '@prisma/client/runtime/client';
import type { RepositoryRef } from '../../engine/ports.ts';
import type { Statements } from '../database.ts';
import { fromRepositoryRow, toRepositoryRow } from '../rows/repository.ts';

/** Told with every delivery and changed hardly ever: a read decides. A name belongs to whoever had it last. */
export async function putRepository(tx: Statements, repository: RepositoryRef): Promise<void> {
  const known = await tx.repository.findUnique({ where: { id: repository.id } });
  if (known !== null && known.nameKey !== null && isSame(fromRepositoryRow(known), repository)) return;
  const { id, fullName, nameKey, installationId } = toRepositoryRow(repository);
  await tx.repository.updateMany({ where: { nameKey, id: { not: id } }, data: { nameKey: null } });
  // Another app may have put it since it was looked for, and a failed insert would end the transaction.
  await tx.$executeRaw(sql`
    INSERT INTO repositories (id, full_name, name_key, installation_id)
    VALUES (${id}, ${fullName}, ${nameKey}, ${installationId})
    ON CONFLICT (id) DO UPDATE SET
      full_name = excluded.full_name, name_key = excluded.name_key, installation_id = excluded.installation_id`);
}

function isSame(a: RepositoryRef, b: RepositoryRef): boolean {
  return a.fullName === b.fullName && a.installationId === b.installationId;
}
