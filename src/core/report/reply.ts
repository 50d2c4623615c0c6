/**
 * The answer to a comment: per command its line, what came of it, by whose authority, and how to undo it. What commands did to
 * tasks is told by the same sentences as in outcome comments, as it was seen. Pure.
 */

import { MAX_COMMANDS } from '../commands/said.ts';
import { type CommandWord, commandStart } from '../commands/usage.ts';
import type { CommandComment, CommentCommand } from '../comment.ts';
import type { Policy } from '../policy.ts';
import { composeBody, listing, type Part } from './body.ts';
import { type OutcomeEntry, sentence } from './effects.ts';
import { type HelpReport, helpParts } from './help.ts';
import { logPart } from './log.ts';
import { markerOf } from './markers.ts';
import { code, prose } from './neutral.ts';
import { headOf } from './reply-head.ts';
import { acceptedWords, undoWords, unknownWords, usageWords } from './reply-words.ts';
import {
  type BatchStatus,
  batchParts,
  type StatusReport,
  sizeOf,
  statusParts,
  type TaskTable,
  tableParts,
} from './status.ts';

export interface ReplyReport {
  id: string;
  comment: Pick<CommandComment, 'author' | 'permission' | 'commands' | 'dropped'>;
  /** What the commands did to tasks that had or get runs. */
  entries: readonly OutcomeEntry[];
  /** Tasks that the commands name, as they are now. */
  named: TaskTable;
  /** Batches that the commands tell of, by id. */
  batches: ReadonlyMap<string, BatchStatus>;
  /** null: no command asks for it. */
  status: Omit<StatusReport, 'id'> | null;
  help: HelpReport;
}

const MAX_LISTED = 100;
/** A longer text is not repeated for every task that it could be for. */
const MAX_REPEATED = 100;
const WHO_CAN = ' Somebody who holds it can say the same line.';

export function renderReply(report: ReplyReport): string {
  const { comment } = report;
  const sections = comment.commands.map((command, index) => section(report, command, index));
  return composeBody([
    markerOf('reply', report.id),
    headOf(comment, report.help.policy),
    ...sections.flat(),
    ...droppedWords(comment),
  ]);
}

function sentenceOf(words: string): string {
  const said = prose(words);
  return /[.!?…]$/.test(said) ? said : `${said}.`;
}

function section(report: ReplyReport, command: CommentCommand, index: number): readonly Part[] {
  return ['', `> ${code(command.line)}`, '', ...outcomeParts(report, command, index)];
}

function outcomeParts(report: ReplyReport, command: CommentCommand, index: number): readonly Part[] {
  const { outcome, said } = command;
  const { policy } = report.help;
  switch (outcome?.result) {
    case undefined:
      return ['It was not carried out.'];
    case 'acted':
      return actedParts(report, command, index);
    case 'started':
      return [`${code(outcome.key)} is queued as ${code(outcome.taskId)}. ${undoWords('started', [outcome], policy)}`];
    case 'batch_started': {
      const batch = report.batches.get(outcome.batchId);
      const count = batch === undefined ? 0 : sizeOf(batch);
      const tasks = count === 0 ? '' : ` with ${count} ${count === 1 ? 'task' : 'tasks'}`;
      const started = `Batch ${code(outcome.name)} is started${tasks}, as ${code(outcome.batchId)}; the status comment here tells how it goes.`;
      return [`${started} ${undoBatch('cancel', outcome, policy)}`];
    }
    case 'batch_cancelled':
      return [
        `Batch ${code(outcome.name)} is cancelled: nothing more of it starts, and what runs goes on. ${undoBatch('resume', outcome, policy)}`,
      ];
    case 'batch_resumed':
      return [
        `Batch ${code(outcome.name)} is resumed: what had ended without success is queued again. ${undoBatch('cancel', outcome, policy)}`,
      ];
    case 'status':
      return statusOf(report, command);
    case 'batch_status': {
      const batch = report.batches.get(outcome.batchId);
      return batch === undefined ? [`Batch ${code(outcome.name)} is gone.`] : batchParts(batch);
    }
    case 'log':
      return [logPart(outcome, logRoom(report.comment.commands))];
    case 'help':
      return helpOf(report, command, index);
    case 'ambiguous':
      return ambiguousParts(command, outcome.choices, policy);
    case 'refused':
      return [
        `Not done: ${sentenceOf(outcome.words || `${said.verb} is refused`)}${outcome.why === 'not_permitted' ? WHO_CAN : ''}${usageWords(said, policy)}`,
      ];
  }
}

function actedParts(report: ReplyReport, command: CommentCommand, index: number): readonly Part[] {
  const { policy } = report.help;
  const tasks = command.tasks ?? [];
  const done = tasks.filter(({ accepted }) => accepted === true);
  const list = listing(tasks, {
    most: MAX_LISTED,
    line: (task) => `- ${taskLine(report, command, { index, ...task })}`,
    more: (left) => `- and ${left} more ${left === 1 ? 'task' : 'tasks'}`,
  });
  const undo = done.length === 0 ? '' : undoWords(command.said.verb, done, policy);
  return [list, ...(undo === '' ? [] : ['', undo])];
}

type NamedTask = NonNullable<CommentCommand['tasks']>[number];

function taskLine(
  report: ReplyReport,
  { said }: CommentCommand,
  { index, taskId, key, accepted, conflict }: NamedTask & { index: number },
): string {
  if (accepted === null) return `${code(key)}: not carried out.`;
  if (!accepted) return `${code(key)}: not done, ${conflict === null ? 'it can not be' : `since ${prose(conflict)}`}.`;
  const words = acceptedWords(said, key, report.help.policy);
  if (words !== null) return words;
  if (lastThatMoved(report.comment.commands, taskId) !== index) return `${code(key)}: see below.`;
  const entry = report.entries.find(({ task }) => task.id === taskId);
  if (entry !== undefined) return sentence(entry);
  const state = report.named.tasks.find(({ id }) => id === taskId)?.state;
  return `${code(key)}: done${state === undefined ? '' : `; the task is **${state}**`}.`;
}

const MOVING: ReadonlySet<string> = new Set(['cancel', 'done', 'skip', 'retry']);

/** The one that the task's line is about. */
function lastThatMoved(commands: readonly CommentCommand[], taskId: string): number {
  return commands.findLastIndex(
    ({ said, tasks }) =>
      MOVING.has(said.verb) && (tasks ?? []).some((task) => task.taskId === taskId && task.accepted === true),
  );
}

/** Of the tasks that were named, else of the whole issue. */
function statusOf({ status, named }: ReplyReport, { tasks }: CommentCommand): readonly Part[] {
  if (tasks !== null) {
    const ids = new Set(tasks.map(({ taskId }) => taskId));
    return tableParts({ ...named, tasks: named.tasks.filter(({ id }) => ids.has(id)) });
  }
  return status === null ? ['Nothing is known of the tasks of this issue.'] : statusParts(status);
}

/** Once per comment. */
function helpOf({ comment, help }: ReplyReport, { said }: CommentCommand, index: number): readonly Part[] {
  const unknown = said.verb === 'unknown' ? [unknownWords(said, help.policy)] : [];
  const first = comment.commands.findIndex(({ outcome }) => outcome?.result === 'help');
  if (first !== index) return unknown.length > 0 ? unknown : ['See above.'];
  return [...unknown, ...(unknown.length > 0 ? [''] : []), ...helpParts(help)];
}

function ambiguousParts(
  { said, line }: CommentCommand,
  choices: readonly { id: string; key: string; state: string }[],
  policy: Policy,
): readonly Part[] {
  const keys = choices.map(({ key }) => key);
  const isUnique = new Set(keys).size === keys.length;
  const text = 'text' in said ? ` ${said.text.length > MAX_REPEATED ? '…' : said.text}` : '';
  const list = listing(choices, {
    most: MAX_LISTED,
    line: ({ id, key, state }) => {
      const start = commandStart(said.of as CommandWord, policy.commandPrefix);
      return `- ${code(`${start} ${said.verb} ${isUnique ? key : id}${text}`)} – ${isUnique ? '' : `${code(key)}, `}${prose(state)}`;
    },
    more: (left) => `- and ${left} more`,
  });
  return [`Which one? ${code(line)} could mean several here; say it again with one of them:`, '', list];
}

function undoBatch(verb: 'cancel' | 'resume', { name }: { name: string }, policy: Policy): string {
  const start = commandStart('batch', policy.commandPrefix);
  return `To undo: ${code(`${start} ${verb} ${name}`)} (needs ${policy.permissions[verb]} permission).`;
}

/** All logs of a comment share it. */
function logRoom(commands: readonly CommentCommand[]): number {
  const logs = commands.filter(({ outcome }) => outcome?.result === 'log').length;
  return Math.floor(50_000 / Math.max(1, logs));
}

function droppedWords({ dropped }: ReplyReport['comment']): readonly string[] {
  if (dropped === 0) return [];
  const what = dropped === 1 ? '1 more command of this comment was' : `${dropped} more commands of this comment were`;
  return ['', `${what} not carried out: one comment may hold ${MAX_COMMANDS}.`];
}
