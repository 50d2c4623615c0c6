/** An issue comment as GitHub writes it, and what Standdown sees in it. */
import { z } from 'zod';
import type { SeenComment } from '../engine/ports.ts';
import { idSchema, instant, issueNumberSchema } from './schemas.ts';

/** The same in answers and payloads. */
export const commentSchema = z.object({
  id: idSchema,
  /** Its issue's or pull request's. */
  issue_url: z.string().transform((url, context) => {
    const number = issueNumberSchema.safeParse(Number(/\/issues\/(\d+)$/.exec(url)?.[1]));
    if (number.success) return number.data;
    context.issues.push({ code: 'custom', message: 'is no address of an issue', input: url });
    return z.NEVER;
  }),
  user: z.object({ login: z.string().min(1), type: z.string().optional() }).nullish(),
  body: z.string().nullish(),
  created_at: instant,
  updated_at: instant,
  performed_via_github_app: z.object({ id: idSchema, slug: z.string().min(1).nullish() }).nullish(),
});

export function toComment(comment: z.infer<typeof commentSchema>): SeenComment {
  const login = comment.user?.login ?? null;
  const slug = /^(.+)\[bot\]$/.exec(login ?? '')?.[1] ?? null;
  const via = comment.performed_via_github_app;
  return {
    id: comment.id,
    number: comment.issue_url,
    author: login,
    isBot: slug !== null || comment.user?.type === 'Bot',
    app: via?.slug ?? via?.id ?? slug,
    body: comment.body ?? '',
    createdAt: comment.created_at,
    updatedAt: comment.updated_at,
  };
}
