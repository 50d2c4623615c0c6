/** What is wrong with the repository's file; nothing any more once it has another content. */
import { renderNotice } from '../../core/report/notice.ts';
import type { Deps } from '../deps.ts';
import type { OutcomeView } from '../ports.ts';
import { FILE_PATH } from '../repository-file.ts';
import type { Rendered } from './rendered.ts';

export async function gatherNotice({ store }: Deps, { item }: OutcomeView): Promise<Rendered> {
  const file = await store.repositoryFile(item.repositoryId);
  if (file === null || file.sha === null || file.problems === null || !item.key.endsWith(`:${file.sha}`)) return null;
  const { sha, problems, textSha } = file;
  return { body: renderNotice({ id: item.id, path: FILE_PATH, sha, problems, inForce: textSha }) };
}
