import type { CommandComment, CommentCommand } from '../../core/comment.ts';
import type { Comment } from '../generated/sqlite/client.ts';
import { fromJson, pickGiven, toJson } from './columns.ts';

export function toCommentRow(comment: CommandComment): Comment {
  return {
    id: comment.id,
    repositoryId: comment.repositoryId,
    issueNumber: comment.number,
    author: comment.author,
    isBot: comment.isBot,
    app: comment.app,
    body: comment.body,
    createdAt: comment.createdAt,
    learnedAt: comment.learnedAt,
    source: comment.source,
    state: comment.state,
    permission: comment.permission,
    commands: toJson(comment.commands),
    dropped: comment.dropped,
    version: comment.version,
  };
}

export function toCommentChange(
  set: Partial<Pick<CommandComment, 'state' | 'permission' | 'commands'>>,
): Partial<Comment> {
  return pickGiven(toCommentRow(set as CommandComment), set);
}

export function fromCommentRow(row: Comment): CommandComment {
  const { issueNumber, ...rest } = row;
  return {
    ...rest,
    number: issueNumber,
    source: row.source as CommandComment['source'],
    state: row.state as CommandComment['state'],
    permission: row.permission as CommandComment['permission'],
    commands: fromJson<CommentCommand[]>(row.commands),
  };
}
