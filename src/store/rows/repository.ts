import type { RepositoryRef } from '../../engine/ports.ts';
import type { Repository } from '../generated/sqlite/client.ts';

/** GitHub compares names without regard to case. */
export function toNameKey(fullName: string): string {
  return fullName.toLowerCase();
}

/** From when on its comments are listed is set apart, and stays when the rest is told again. */
export function toRepositoryRow(repository: RepositoryRef): Omit<Repository, 'commentsSince'> {
  const { id, fullName, installationId } = repository;
  return {
    id,
    fullName,
    nameKey: toNameKey(fullName),
    installationId: installationId === null ? null : BigInt(installationId),
  };
}

export function fromRepositoryRow(row: Repository): RepositoryRef {
  return {
    id: row.id,
    fullName: row.fullName,
    installationId: row.installationId === null ? null : Number(row.installationId),
  };
}
