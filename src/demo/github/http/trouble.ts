/** Carries out the faults that a request was picked for: before it is served, or on its answer. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Hit } from '../faults.ts';
import { type Answer, Refusal } from './answer.ts';

/** What the request meets before anything is done; null: its connection is dropped. */
export async function suffer({ trouble, cleared }: Hit): Promise<Answer | null | 'go_on'> {
  switch (trouble.kind) {
    case 'answer':
      return { status: trouble.status, body: trouble.body, headers: trouble.headers ?? {} };
    case 'garbage':
      return garbage(trouble.body, trouble.contentType);
    case 'secondary_limit':
      return secondaryLimit(trouble.status ?? 403, trouble.retryAfterSeconds ?? 60);
    case 'drop':
      return trouble.after ? 'go_on' : null;
    case 'hang':
      await cleared;
      return null;
    case 'delay':
      await Promise.race([pause(trouble.ms, undefined, { ref: false }), cleared]);
      return 'go_on';
    case 'lost_answer':
    case 'change':
      return 'go_on';
  }
}

/** What was asked for has been done; the client is not to learn it. */
export function spoil({ trouble }: Hit, answer: Answer): Answer | null {
  if (trouble.kind === 'drop') return null;
  if (trouble.kind === 'lost_answer') return { ...garbage('<html>Bad Gateway</html>'), status: trouble.status ?? 502 };
  return trouble.kind === 'change' ? { ...answer, body: trouble.change(answer.body) } : answer;
}

function garbage(body = '<!DOCTYPE html><title>Unicorn!</title>', contentType = 'text/html'): Answer {
  return { status: 200, body: Buffer.from(body), headers: { 'content-type': contentType } };
}

export function secondaryLimit(status: number, retryAfterSeconds: number): Answer {
  const message = 'You have exceeded a secondary rate limit. Please wait a few minutes before you try again.';
  return new Refusal(status, message, { headers: { 'retry-after': String(retryAfterSeconds) } }).answer;
}
