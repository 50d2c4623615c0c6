/** From a comment that was told of or found to its row: once for each comment, whoever tells of it and how often. */

import { mayCommand, parseComment } from '../../core/commands/parse.ts';
import type { CommandComment, CommentCommand } from '../../core/comment.ts';
import { MARKER_START } from '../../core/report/markers.ts';
import type { Deps } from '../deps.ts';
import { githubNow } from '../github-clock.ts';
import { commentsKey } from '../keys.ts';
import type { RepositoryRef, SeenComment, Write } from '../ports.ts';
import { sign } from './messages.ts';

/** So long an answer may take without a sign that the comment was seen. */
const SEEN_MS = 2_000;

/** Most comments have no such line, and cost nothing more. */
const SOME_LINE = /^\uFEFF? {0,3}\/[A-Za-z]/m;
/** Whatever the prefix is, which the repository's file says: a line like this may be a command. */
const COMMAND_OF_SOME_PREFIX = /^\uFEFF? {0,3}\/[A-Za-z][A-Za-z0-9-]{0,30}[ \t]+(?:task|batch)(?!\S)/m;

/** What keeps the comment, to be carried out; nothing where it commands nothing, is nobody's word, or is known. */
export async function takeIn(
  deps: Deps,
  { repository, comment: seen }: { repository: RepositoryRef; comment: SeenComment },
  source: CommandComment['source'],
): Promise<readonly Write[]> {
  if (isRuledOut(deps, seen) || (await deps.store.comment(seen.id)) !== null) return [];
  const said = await commandsOf(deps, repository.id, seen.body);
  if (said === null) return [];
  const { updatedAt: _, ...written } = seen;
  const comment: CommandComment = {
    ...written,
    ...said,
    repositoryId: repository.id,
    learnedAt: deps.clock(),
    source,
    state: 'due',
    permission: null,
    version: 1,
  };
  const isKnown = (await deps.store.repository(repository.id)) !== null;
  return [
    ...(isKnown ? [] : [{ write: 'repository.put' as const, repository }]),
    ...(await commentsFromNow(deps, repository.id)),
    { write: 'comment.insert', comment },
    { write: 'work.enqueue', key: commentsKey(comment), dueAt: comment.learnedAt },
    ...(comment.commands.length > 0 ? [seenSign(comment)] : []),
  ];
}

/** Comments are listed from when the repository was first seen, never earlier. */
export async function commentsFromNow(deps: Deps, repositoryId: string): Promise<readonly Write[]> {
  if ((await deps.store.commentsSince(repositoryId)) !== null) return [];
  return [{ write: 'comments.since', repositoryId, from: null, to: githubNow(deps) }];
}

/** What the comment says by the prefix of this repository. */
export function understood(body: string, prefix: string): Pick<CommandComment, 'commands' | 'dropped'> {
  const { lines, dropped } = parseComment(body, prefix);
  const commands = lines.map(({ line, said }): CommentCommand => ({ line, said, tasks: null, outcome: null }));
  return { commands, dropped };
}

/** The sign that it was seen; nobody needs it where the answer is there before. */
export function seenSign(comment: CommandComment): Write {
  const { learnedAt } = comment;
  return sign(comment, 'eyes', { dueAt: new Date(learnedAt.getTime() + SEEN_MS), createdAt: learnedAt });
}

/** Without any look elsewhere: what says nothing to us, our own words, bots and Apps that nobody trusts, and what no database keeps. */
function isRuledOut(deps: Deps, { body, author, isBot, app }: SeenComment): boolean {
  if (!SOME_LINE.test(body) || body.startsWith(MARKER_START) || !isStorable(body)) return true;
  if (author === null) return true;
  return app === null ? isBot : !deps.trustedApps().includes(app);
}

/** No NUL, and no half of a character. */
function isStorable(text: string): boolean {
  return !text.includes('\0') && Buffer.from(text).toString() === text;
}

/** null: none. No commands: they are looked for once the repository's file, which says how they begin, was read. */
async function commandsOf(
  deps: Deps,
  repositoryId: string,
  body: string,
): Promise<Pick<CommandComment, 'commands' | 'dropped'> | null> {
  const isUnread = deps.github?.readFile !== undefined && (await deps.store.repositoryFile(repositoryId)) === null;
  if (isUnread) {
    return mayCommand(body, '') || COMMAND_OF_SOME_PREFIX.test(body) ? { commands: [], dropped: 0 } : null;
  }
  const said = understood(body, (await deps.policyOf(repositoryId)).commandPrefix);
  return said.commands.length > 0 ? said : null;
}
