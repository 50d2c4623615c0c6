import type { StoredFile } from '../../engine/ports.ts';
import type { RepositoryFile } from '../generated/sqlite/client.ts';
import { fromJsonOrNull, toJsonOrNull } from './columns.ts';

export function toFileRow({ problems, ...file }: StoredFile): RepositoryFile {
  return { ...file, problems: toJsonOrNull(problems) };
}

export function fromFileRow(row: RepositoryFile): StoredFile {
  return { ...row, problems: fromJsonOrNull<string[]>(row.problems) };
}
