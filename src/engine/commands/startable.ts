/** What may be started by name, as far as the repository's file is known. */
import type { RepositoryFile } from '../../core/documents/index.ts';
import { FILE_PATH } from '../repository-file.ts';
import type { InHand } from './in-hand.ts';

/** More names than anybody reads. */
const MAX_LISTED = 30;

/** The file, or why nothing can be started from it. */
export function fileOf({ file }: InHand): RepositoryFile | { refused: string } {
  if (file === null) return { refused: `${FILE_PATH} was not read` };
  if (!file.ok) return { refused: file.words };
  if (file.file !== null) return file.file;
  return file.stored.problems === null
    ? { refused: `the default branch has no ${FILE_PATH}, so nothing can be started by name` }
    : { refused: wrong(file.stored.problems, 'none was right before') };
}

/** What there is of that name, where a name was not found; also why it may not be there although somebody wrote it down. */
export function whatThereIs({ file }: InHand, named: ReadonlyMap<string, unknown>): string {
  const problems = file?.ok ? file.stored.problems : null;
  return `there is: ${listed(named)}${problems === null ? '' : `; ${wrong(problems, 'what was right before is in force')}`}`;
}

/** The first of them is a start; the notice has them all. */
function wrong([first = 'no reason is known', ...more]: readonly string[], meanwhile: string): string {
  const others = more.length > 0 ? `; and ${more.length} more` : '';
  return `${FILE_PATH} of the default branch is wrong, and ${meanwhile}: ${first}${others}`;
}

function listed(named: ReadonlyMap<string, unknown>): string {
  if (named.size === 0) return 'none';
  const names = [...named.keys()].slice(0, MAX_LISTED).join(', ');
  return named.size > MAX_LISTED ? `${names} and ${named.size - MAX_LISTED} more` : names;
}
