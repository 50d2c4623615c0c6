/** A comment while it is carried out: its row as it was kept last, and what was looked up for it. */
import type { CommandComment, CommandOutcome, CommentCommand, RefusedWhy } from '../../core/comment.ts';
import type { TrackedIssue } from '../../core/issue.ts';
import type { Permission, Policy } from '../../core/policy.ts';
import type { Deps } from '../deps.ts';
import { issueEvent } from '../journal.ts';
import type { RepositoryRef, Write } from '../ports.ts';
import type { FileToStart } from '../repository-file.ts';

export interface InHand {
  comment: CommandComment;
  /** What its author holds. */
  permission: Permission;
  repository: RepositoryRef;
  issue: TrackedIssue;
  policy: Policy;
  /** null: nothing that it says starts anything. */
  file: FileToStart | null;
  /** When it was said, by our clock: what came later is not meant. */
  saidAt: Date;
  /** How often the look at its issue's comments has failed before. */
  failures: number;
}

/** null: another one has it in hand by now, and goes on with it. */
export type Next = Promise<InHand | null>;

type Set = Extract<Write, { write: 'comment.update' }>['set'];

/** The write that changes the row, to be committed with what it tells of; and the row after it. */
export function rowUpdate(comment: CommandComment, set: Set): { write: Write; after: CommandComment } {
  const { id, version } = comment;
  return {
    write: { write: 'comment.update', id, version, set },
    after: { ...comment, ...set, version: version + 1 },
  };
}

export async function keep(
  { store }: Pick<Deps, 'store'>,
  comment: CommandComment,
  set: Set,
  also: readonly Write[] = [],
): Promise<CommandComment | null> {
  const { write, after } = rowUpdate(comment, set);
  return (await store.commit([write, ...also])) ? after : null;
}

/** The comment's commands, one of them changed. */
export function withCommand(
  { commands }: CommandComment,
  index: number,
  change: Partial<CommentCommand>,
): readonly CommentCommand[] {
  return commands.map((command, at) => (at === index ? { ...command, ...change } : command));
}

/** The row once the command has come to this, and the journal's word on it. */
export function outcomeUpdate(
  { comment, permission }: Pick<InHand, 'comment' | 'permission'>,
  index: number,
  outcome: CommandOutcome,
  now: Date,
): { writes: readonly Write[]; after: CommandComment } {
  const commands = withCommand(comment, index, { outcome });
  const { write, after } = rowUpdate(comment, { commands });
  return { writes: [write, ...journalled(after, permission, index, now)], after };
}

/** The command has come to this. */
export async function settle({ store, clock }: Deps, hand: InHand, index: number, outcome: CommandOutcome): Next {
  const { writes, after } = outcomeUpdate(hand, index, outcome, clock());
  return (await store.commit(writes)) ? { ...hand, comment: after } : null;
}

export function refused(why: RefusedWhy, words: string): CommandOutcome {
  return { result: 'refused', why, words };
}

/** Whether not all that the command said was done. */
export function fellShort({ outcome, said, tasks }: CommentCommand): boolean {
  if (outcome?.result === 'refused' || outcome?.result === 'ambiguous' || said.verb === 'unknown') return true;
  return outcome?.result === 'acted' && (tasks ?? []).some(({ accepted }) => accepted !== true);
}

export function journalled(
  comment: CommandComment,
  permission: Permission | null,
  index: number,
  now: Date,
): readonly Write[] {
  const command = comment.commands[index];
  if (command === undefined || command.outcome === null) return [];
  const { said, line, outcome, tasks } = command;
  const why = outcome.result === 'refused' ? { why: outcome.why, words: outcome.words } : {};
  const conflicts = (tasks ?? []).flatMap(({ key, conflict }) => (conflict === null ? [] : [{ key, conflict }]));
  const data = { comment: comment.id, line, of: said.of, verb: said.verb, actor: comment.author, permission };
  const type = fellShort(command) ? 'COMMAND_REFUSED' : 'COMMAND_ACCEPTED';
  const told = { ...data, result: outcome.result, ...why, ...(conflicts.length > 0 ? { conflicts } : {}) };
  return [issueEvent(type, now, comment, told)];
}
