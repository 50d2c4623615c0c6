/** ETags, bound to who asks and to what the answer says, as GitHub's are. */
import { createHash } from 'node:crypto';
import type { Answer } from './answer.ts';

export function withETag(answer: Answer, credential: string | null): Answer {
  const hash = createHash('sha256');
  hash.update(JSON.stringify([credential, answer.headers?.link ?? null, answer.body]));
  return { ...answer, headers: { ...answer.headers, etag: `W/"${hash.digest('hex')}"` } };
}

/** The answer, or 304 where the client holds it already. */
export function answerConditionally(answer: Answer, ifNoneMatch: string | undefined): Answer {
  const held = (ifNoneMatch ?? '').split(',').map(opaque);
  const etag = answer.headers?.etag;
  if (etag === undefined || !held.includes(opaque(etag))) return answer;
  return { status: 304, headers: { ...answer.headers } };
}

function opaque(etag: string): string {
  return etag.trim().replace(/^W\//, '');
}
