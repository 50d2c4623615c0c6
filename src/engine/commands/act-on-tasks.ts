/**
 * A verb on tasks: they are fixed in the row before the first of them is touched, and what it does to each commits together with
 * the note that it did. So whatever dies in between, each task is reached once.
 */

import type { TaskSelection } from '../../core/commands/said.ts';
import { type CommandTask, replyEffect } from '../../core/comment.ts';
import type { Task } from '../../core/task.ts';
import { type ActResult, act, linkTask } from '../act.ts';
import type { Deps } from '../deps.ts';
import { githubWords } from '../github-words.ts';
import { GitHubError, type Write } from '../ports.ts';
import { type InHand, keep, type Next, refused, rowUpdate, settle, withCommand } from './in-hand.ts';
import { meaningOf } from './mean.ts';
import { answer } from './messages.ts';
import { orError } from './patience.ts';
import type { Right } from './rights.ts';

/** More choices than anybody reads. */
const MAX_CHOICES = 20;

export type TaskVerb = Exclude<TaskSelection['verb'], 'status' | 'logs'>;
export type Selecting = Extract<TaskSelection, { verb: TaskVerb }>;

export async function actOnTasks(deps: Deps, hand: InHand, index: number, right: Right): Next {
  const fixed = await fixTasks(deps, hand, index, right);
  const command = fixed?.comment.commands[index];
  if (fixed === null || command === undefined || command.tasks === null || command.outcome !== null) return fixed;
  let now: InHand | null = fixed;
  for (let at = 0; at < command.tasks.length && now !== null; at++) now = await actOnTask(deps, now, index, at);
  return now === null ? null : settle(deps, now, index, { result: 'acted' });
}

/** Also where nothing is done to them: with an outcome at once where it is not clear which is meant. */
export async function fixTasks(deps: Deps, hand: InHand, index: number, right: Right): Next {
  const command = hand.comment.commands[index];
  if (command === undefined || command.tasks !== null) return hand;
  const said = command.said as TaskSelection;
  const meaning = await meaningOf(deps, hand, said);
  if ('none' in meaning) return settle(deps, hand, index, refused('other', meaning.none));
  if ('several' in meaning) {
    const choices = await Promise.all(meaning.several.slice(0, MAX_CHOICES).map((task) => choiceOf(deps, task)));
    return settle(deps, hand, index, { result: 'ambiguous', choices });
  }
  if (right.by === 'author' && meaning.found.some((task) => !isOfIssue(task, hand))) {
    const words = `an issue’s author may ${said.verb} only tasks that are linked to it`;
    return settle(deps, hand, index, refused('not_permitted', words));
  }
  const tasks = meaning.found.map(({ id, key }): CommandTask => ({ taskId: id, key, accepted: null, conflict: null }));
  // What is meant for the task is kept with it: told apart again later, it might be another text.
  const meant = 'text' in said && meaning.text !== undefined ? { ...said, text: meaning.text } : said;
  const commands = withCommand(hand.comment, index, { tasks, said: meant });
  // Before any of its lines: a task that is linked to another issue must not draw the answer there.
  const comment = await keep(deps, hand.comment, { commands }, [answer(hand.comment, deps.clock())]);
  return comment === null ? null : { ...hand, comment };
}

/** With its batch: of two that are called the same, nothing else tells which is which. */
async function choiceOf({ store }: Deps, { id, key, state, batchId }: Task) {
  const batch = batchId === null ? null : await store.batch(batchId);
  return { id, key, state: batch === null ? state : `${state}, of batch ${batch.name}` };
}

function isOfIssue({ issueNumber }: Task, { comment }: InHand): boolean {
  return issueNumber === comment.number;
}

async function actOnTask(deps: Deps, hand: InHand, index: number, at: number): Next {
  const { comment } = hand;
  const command = comment.commands[index];
  const task = command?.tasks?.[at];
  if (command === undefined || task === undefined || task.accepted !== null) return hand;
  const noting = (change: Partial<CommandTask>) => {
    const tasks = (command.tasks ?? []).map((each, place) => (place === at ? { ...each, ...change } : each));
    return { commands: withCommand(comment, index, { tasks }) };
  };
  const done = rowUpdate(comment, noting({ accepted: true }));
  const said = command.said as Selecting;
  const result = await orError(hand.failures, () => carryOut(deps, hand, { said, taskId: task.taskId }, [done.write]));
  if (!(result instanceof GitHubError) && result.result === 'accepted') return { ...hand, comment: done.after };
  const kept = await keep(deps, comment, noting({ accepted: false, conflict: wordsOf(result) }));
  return kept === null ? null : { ...hand, comment: kept };
}

async function carryOut(
  deps: Deps,
  { comment, saidAt }: InHand,
  { said, taskId }: { said: Selecting; taskId: string },
  also: readonly Write[],
): Promise<ActResult> {
  const actor = comment.author ?? 'unknown';
  if (said.verb === 'link') return linkTask(deps, taskId, comment.number, { actor, also });
  if (said.verb === 'unlink') return unlink(deps, comment.number, taskId, { actor, also });
  const text = 'text' in said ? { text: said.text } : {};
  const effect = replyEffect(comment.id);
  return act(deps, taskId, said.verb, { actor, cause: 'command', effect, saidAt, also, ...text });
}

async function unlink(
  deps: Deps,
  number: number,
  taskId: string,
  input: { actor: string; also: readonly Write[] },
): Promise<ActResult> {
  const task = await deps.store.task(taskId);
  if (task !== null && task.issueNumber !== number) {
    return { result: 'conflict', message: `${task.key} is not linked to this issue` };
  }
  return linkTask(deps, taskId, null, input);
}

function wordsOf(result: Exclude<ActResult, { result: 'accepted' }> | GitHubError): string {
  if (result instanceof GitHubError) return githubWords(result);
  return result.result === 'conflict' ? result.message : 'there is no such task any more';
}
