/** What a verb on tasks means on this issue: its tasks, and the text that is meant for them. */
import type { TaskSelection } from '../../core/commands/said.ts';
import { isEnded, type Task } from '../../core/task.ts';
import type { Deps } from '../deps.ts';
import { type Found, findNamed, newestOfEach, oneOf, tasksOfIssue, whatThereIs } from './find-tasks.ts';
import type { InHand } from './in-hand.ts';

export type Meaning = Found & {
  /** `block` and `answer`: without the task's name, where that stood first. */
  text?: string;
};

export async function meaningOf(deps: Deps, hand: InHand, said: TaskSelection): Promise<Meaning> {
  if (said.verb === 'link') return findById(deps, hand, said.task);
  if ('text' in said) return meaningOfText(deps, hand, said);
  return said.task === null ? unnamed(deps, hand, said.verb) : findNamed(deps, hand, said.task);
}

async function unnamed(
  deps: Deps,
  hand: InHand,
  verb: Extract<TaskSelection, { task: string | null }>['verb'],
): Promise<Found> {
  const here = await tasksOfIssue(deps, hand);
  const unfinished = here.filter(isUnfinished);
  switch (verb) {
    case 'retry': {
      const stopped = (await newestOfEach(deps, here)).filter(
        ({ state }) => state === 'failed' || state === 'cancelled',
      );
      return some(stopped, `nothing here has failed or was stopped; ${whatThereIs(here)}`);
    }
    case 'logs': {
      const ran = (unfinished.length > 0 ? unfinished : await newestOfEach(deps, here)).filter(hasRun);
      return ran.length > 1 ? { several: ran } : some(ran, `nothing here has run yet; ${whatThereIs(here)}`);
    }
    case 'release':
      return some(unfinished.filter(isKept), `nothing here is on hold or blocked; ${whatThereIs(here)}`);
    case 'done':
      return some(
        unfinished,
        `nothing here is unfinished; ${whatThereIs(here)}${here.length > 0 ? ': name one to count it as done' : ''}`,
      );
    default:
      return some(unfinished, `nothing here is unfinished; ${whatThereIs(here)}`);
  }
}

/** The first word names the task, where the issue has several; where it has one, all of it is the text. */
async function meaningOfText(
  deps: Deps,
  hand: InHand,
  { verb, text }: Extract<TaskSelection, { text: string }>,
): Promise<Meaning> {
  const here = await tasksOfIssue(deps, hand);
  const unfinished = here.filter(isUnfinished);
  const [, word = '', rest = ''] = /^(\S+)\s*(.*)$/su.exec(text) ?? [];
  const named = unfinished.filter(({ key, id }) => key === word || id === word);
  if (unfinished.length > 1 && named.length > 0) {
    if (rest === '') return { none: `${verb} needs a text after the task’s name` };
    return { ...oneOf(named), text: rest };
  }
  const meant = verb === 'answer' ? unfinished.filter(({ blockers }) => blockers.length > 0) : unfinished;
  const none = verb === 'answer' ? 'nothing here asks a question' : 'nothing here is unfinished';
  return meant.length > 1 ? { several: meant } : { ...some(meant, `${none}; ${whatThereIs(here)}`), text };
}

/** What is linked elsewhere, or nowhere, has an id that is its own; a key may be that of many. */
async function findById({ store }: Deps, { comment, saidAt }: InHand, id: string): Promise<Found> {
  const task = await store.task(id);
  const isThere = task !== null && task.repositoryId === comment.repositoryId && task.createdAt <= saidAt;
  return isThere
    ? { found: [task] }
    : { none: `no task of this repository has the id ${id}; link takes a task’s id, as replies and the CLI show it` };
}

function some(tasks: readonly Task[], none: string): Found {
  return tasks.length === 0 ? { none } : { found: tasks };
}

function isUnfinished({ state }: Task): boolean {
  return !isEnded(state);
}

function hasRun({ runNumber }: Task): boolean {
  return runNumber > 0;
}

function isKept({ hold, state }: Task): boolean {
  return hold !== null || state === 'blocked';
}
