/** Comments, reactions to them, and closes. One request per call, and never a second try: what to do about a failure is the outbox's to decide. */
import type { GitHubWriter, Reaction, RepositoryRef } from '../engine/ports.ts';
import { bodyOf, type GitHubClient, type Reply } from './client.ts';
import { explain } from './explain.ts';
import { hasNextPage } from './link.ts';
import { confirmReadable } from './read-repository.ts';
import { closedSchema, commentsSchema, createdSchema } from './schemas.ts';
import type { ReadViewer, Viewer } from './viewer.ts';

export function makeGitHubWriter(client: GitHubClient, viewer: ReadViewer): GitHubWriter {
  async function findComment(repository: RepositoryRef, number: number, marker: string): Promise<string | null> {
    const we = await viewer();
    for (let page = 1; ; page += 1) {
      const parameters = { issue_number: number, per_page: 100, page };
      const route = 'GET /repos/{owner}/{repo}/issues/{issue_number}/comments';
      const reply = await client.call(repository, route, parameters);
      if (!isSuccess(reply)) throw await explain(client, repository, { number }, reply);
      const comments = bodyOf(reply, commentsSchema);
      // Anybody can write our marker, so the author counts as much.
      const ours = comments.find((comment) => comment.body?.startsWith(marker) && isBy(we, comment));
      if (ours) return ours.id;
      if (comments.length === 0 || !hasNextPage(reply)) return null;
    }
  }

  async function createComment(repository: RepositoryRef, number: number, body: string): Promise<string> {
    const parameters = { issue_number: number, body };
    const route = 'POST /repos/{owner}/{repo}/issues/{issue_number}/comments';
    const reply = await client.call(repository, route, parameters);
    if (!isSuccess(reply)) throw await explain(client, repository, { number }, reply);
    return bodyOf(reply, createdSchema).id;
  }

  async function updateComment(repository: RepositoryRef, commentId: string, body: string) {
    const parameters = { comment_id: commentId, body };
    const route = 'PATCH /repos/{owner}/{repo}/issues/comments/{comment_id}';
    const reply = await client.call(repository, route, parameters);
    return isSuccess(reply) ? ('updated' as const) : confirmGone(repository, commentId, reply);
  }

  /** 201 made it, 200 found it there. */
  async function react(repository: RepositoryRef, commentId: string, content: Reaction) {
    const parameters = { comment_id: commentId, content };
    const route = 'POST /repos/{owner}/{repo}/issues/comments/{comment_id}/reactions';
    const reply = await client.call(repository, route, parameters);
    if (!isSuccess(reply)) return confirmGone(repository, commentId, reply);
    bodyOf(reply, createdSchema);
    return 'done' as const;
  }

  /** Throws where the reply says anything but that the comment was deleted. */
  async function confirmGone(repository: RepositoryRef, commentId: string, reply: Reply): Promise<'gone'> {
    if (reply.status !== 404 && reply.status !== 410) throw await explain(client, repository, { commentId }, reply);
    await confirmReadable(client, repository, reply);
    return 'gone';
  }

  async function closeIssue(repository: RepositoryRef, number: number): Promise<void> {
    const parameters = { issue_number: number, state: 'closed', state_reason: 'completed' };
    const route = 'PATCH /repos/{owner}/{repo}/issues/{issue_number}';
    const reply = await client.call(repository, route, parameters);
    if (!isSuccess(reply)) throw await explain(client, repository, { number }, reply);
    bodyOf(reply, closedSchema);
  }

  return { findComment, createComment, updateComment, react, closeIssue };
}

function isSuccess(reply: Reply): boolean {
  return reply.status >= 200 && reply.status < 300;
}

type Comment = ReturnType<typeof commentsSchema.parse>[number];

function isBy(we: Viewer, comment: Comment): boolean {
  const viaUs = we.appId !== null && comment.performed_via_github_app?.id === we.appId;
  return viaUs || comment.user?.login.toLowerCase() === we.login.toLowerCase();
}
