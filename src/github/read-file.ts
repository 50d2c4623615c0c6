/** One file of a repository's default branch. Nothing but GitHub's own word, in a repository that can be read, says it isn't there. */
import type { z } from 'zod';
import type { FileReading, RepositoryRef } from '../engine/ports.ts';
import { bodyOf, type GitHubClient } from './client.ts';
import { confirmReachable } from './read-repository.ts';
import { contentsSchema, tooLargeSchema } from './schemas.ts';

/** Neither the listing of a directory nor this refusal tells the id of what is there. */
const DIRECTORY_SHA = 'directory';
const TOO_LARGE_SHA = 'too_large';

/**
 * Files above 1 MB come without their content, or are refused as `too_large`. A link to a file of the repository is followed by GitHub itself. An App that may
 * not read contents is told 403, not 404, wherever it could not read them anyway.
 * https://docs.github.com/rest/repos/contents#get-repository-content
 */
export async function readFile(
  client: GitHubClient,
  repository: RepositoryRef,
  { path, etag }: { path: string; etag: string | null },
): Promise<FileReading> {
  const condition = etag === null ? undefined : { etag, tokenKey: null };
  const reply = await client.call(repository, 'GET /repos/{owner}/{repo}/contents/{path}', { path }, condition);
  if (reply.status === 304 && etag !== null) return { found: 'unchanged' };
  const answered = reply.headers.etag ?? null;
  if (reply.status === 404) {
    await confirmReachable(client, repository, reply);
    return { found: 'none', etag: answered };
  }
  if (tooLargeSchema.safeParse(reply.data).success) return { ...tooLarge(TOO_LARGE_SHA), etag: answered };
  return { ...contentOf(bodyOf(reply, contentsSchema)), etag: answered };
}

const NO_FILE = {
  symlink: 'it is a link that leads to no file of the repository',
  submodule: 'it is a submodule',
} as const;

type Content = { found: 'file'; text: string; sha: string } | { found: 'unusable'; sha: string; problem: string };

function contentOf(contents: z.infer<typeof contentsSchema>): Content {
  if (Array.isArray(contents)) return unusable(DIRECTORY_SHA, 'it is a directory');
  const { sha } = contents;
  if (contents.type !== 'file') return unusable(sha, NO_FILE[contents.type]);
  if (contents.encoding === 'none') return tooLarge(sha);
  const text = decode(contents.content);
  return text === null ? unusable(sha, 'it is no UTF-8 text') : { found: 'file', text, sha };
}

function tooLarge(sha: string): Content {
  return unusable(sha, 'it is larger than 1 MB');
}

function unusable(sha: string, problem: string): Content {
  return { found: 'unusable', sha, problem };
}

/** null: the bytes are no UTF-8. A byte order mark is left out. */
function decode(base64: string): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(base64, 'base64'));
  } catch {
    return null;
  }
}
