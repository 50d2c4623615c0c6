/** An issue comment that says something to Standdown, and what has come of it: each command of it acts once. */
import type { Said } from './commands/said.ts';
import type { IssueRef } from './issue.ts';
import type { Permission } from './policy.ts';

export interface CommandComment extends IssueRef {
  /** GitHub's id of the comment. */
  id: string;
  /** null: a deleted account. */
  author: string | null;
  isBot: boolean;
  /** Slug of the App that a comment was made through, a person's own or a bot's; null: none. */
  app: string | null;
  /** As it was delivered. */
  body: string;
  /** By GitHub's clock. */
  createdAt: Date;
  learnedAt: Date;
  /** Who told of it first. */
  source: 'webhook' | 'sweep';
  /** `ignored`: nobody is answered. */
  state: 'due' | 'handled' | 'ignored';
  /** What its author held when it was judged; null: not judged yet, or nobody could tell. */
  permission: Permission | null;
  commands: readonly CommentCommand[];
  /** How many commands were beyond what one comment may hold. */
  dropped: number;
  /** Guard for conditional updates. */
  version: number;
}

export interface CommentCommand {
  /** As it was written. */
  line: string;
  said: Said;
  /** The tasks that it means, found once, before the first of them is touched; null: not yet. */
  tasks: readonly CommandTask[] | null;
  /** null: not carried out yet, or not to the end. */
  outcome: CommandOutcome | null;
}

/** `accepted` and `conflict` are both null until the command has reached the task; written with what it did to it. */
export interface CommandTask {
  taskId: string;
  key: string;
  accepted: boolean | null;
  /** Why not. */
  conflict: string | null;
}

/** What the reply tells. Facts of tasks, runs and batches are read when it is rendered. */
export type CommandOutcome =
  /** `tasks` tell the rest. */
  | { result: 'acted' }
  | { result: 'started'; taskId: string; key: string }
  | { result: 'batch_started'; batchId: string; name: string }
  | { result: 'batch_cancelled' | 'batch_resumed'; batchId: string; name: string }
  | { result: 'status' }
  | { result: 'batch_status'; batchId: string; name: string }
  /** The end of the run's output as it was then, redacted. */
  | { result: 'log'; taskId: string; key: string; run: number; text: string }
  | { result: 'help' }
  /** Several are meant: which they are, to say it again with one of them. */
  | { result: 'ambiguous'; choices: readonly { id: string; key: string; state: string }[] }
  | { result: 'refused'; why: RefusedWhy; words: string };

/**
 * `not_permitted`: `words` say what is needed. `late`: found more than an hour after it was said. `edited`: it does not say any more
 * what was delivered. `other`: `words` tell.
 */
export type RefusedWhy = 'not_permitted' | 'unreadable' | 'late' | 'edited' | 'other';

/** The key of the message that answers a comment, and the effect of what its commands do. */
export function replyEffect(commentId: string): string {
  return `reply:${commentId}`;
}
