/** What GitHub tried to deliver to the App, as GitHub itself tells, and asking for one of it again. */
import { z } from 'zod';
import type { HookAttempt, HookPage } from '../engine/ports.ts';
import { isGitHubsWord } from './classify.ts';
import { bodyOf, type GitHubClient } from './client.ts';
import { nextCursor } from './link.ts';
import { hookAttemptSchema } from './schemas.ts';

/** All attempts and not only those with `status=failure`, which need not cover what timed out or never connected. */
export async function readHookAttempts(client: GitHubClient, cursor: string | null): Promise<HookPage | null> {
  if (client.mode === 'token') return null;
  const parameters = { per_page: 100, ...(cursor === null ? {} : { cursor }) };
  const reply = await client.callAsApp(null, 'GET /app/hook/deliveries', parameters);
  return { attempts: bodyOf(reply, z.array(hookAttemptSchema)).map(toAttempt), cursor: nextCursor(reply) };
}

/** Throws `GitHubError` where GitHub neither takes the wish nor says that there is nothing to be sent any more. */
export async function askAgain(client: GitHubClient, attemptId: string): Promise<'asked' | 'gone'> {
  const route = 'POST /app/hook/deliveries/{delivery_id}/attempts';
  const reply = await client.callAsApp(null, route, { delivery_id: attemptId });
  if (reply.status >= 200 && reply.status < 300) return 'asked';
  if ((reply.status === 404 || reply.status === 422) && isGitHubsWord(reply)) return 'gone';
  throw reply.error();
}

function toAttempt({
  id,
  guid,
  event,
  action,
  delivered_at,
  ...answer
}: z.infer<typeof hookAttemptSchema>): HookAttempt {
  return { id, guid, event, action: action ?? null, deliveredAt: delivered_at, isOk: isOk(answer) };
}

/** The code is our own answer; there is none where GitHub got no answer. */
function isOk({ status, status_code }: Pick<z.infer<typeof hookAttemptSchema>, 'status' | 'status_code'>): boolean {
  return status_code ? status_code >= 200 && status_code < 300 : status === 'OK';
}
