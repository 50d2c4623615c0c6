/** What a verb did to a task, where that shows in no run, and how to undo it. Pure. */
import type { Said } from '../commands/said.ts';
import { commandStart, usageOf, VERBS_OF } from '../commands/usage.ts';
import type { Permitted, Policy } from '../policy.ts';
import { code } from './neutral.ts';

/** null: what became of the task tells it. */
export function acceptedWords(said: Said, key: string, policy: Policy): string | null {
  const name = code(key);
  const start = commandStart('task', policy.commandPrefix);
  switch (said.verb) {
    case 'hold':
      return `${name} is on hold: nothing of it starts until somebody says ${code(`${start} release ${key}`)}; a run that lives goes on.`;
    case 'release':
      return `${name} is released: nothing that a person can release holds it any more.`;
    case 'block':
      return `${name} waits for an answer, and nothing of it starts before: ${code(`${start} answer ${key} …`)}; a run that lives goes on.`;
    case 'answer':
      return `${name} has its answer, and goes on as soon as nothing else is in its way.`;
    case 'link':
      return `${name} is linked to this issue: closing the issue ends the task.`;
    case 'unlink':
      return `${name} is linked to no issue any more: closing this one does not end it.`;
    default:
      return null;
  }
}

const MAX_NAMED = 3;

const UNDO: Readonly<Record<string, Permitted>> = {
  started: 'cancel',
  cancel: 'retry',
  done: 'retry',
  skip: 'retry',
  retry: 'cancel',
  hold: 'release',
  link: 'unlink',
  unlink: 'link',
};

/** Empty: it can't be undone, or what was said of the task tells how. */
export function undoWords(verb: string, tasks: readonly { taskId: string; key: string }[], policy: Policy): string {
  const back = UNDO[verb];
  if (back === undefined || tasks.length === 0) return '';
  const start = commandStart('task', policy.commandPrefix);
  const ways = tasks
    .slice(0, MAX_NAMED)
    .map(({ taskId, key }) => code(`${start} ${back} ${back === 'link' ? taskId : key}`));
  const more = tasks.length > ways.length ? ', and likewise the others' : '';
  return `To undo: ${ways.join(', ')}${more} (needs ${policy.permissions[back]} permission).`;
}

export function unknownWords({ of, word }: Extract<Said, { verb: 'unknown' }>, { commandPrefix }: Policy): string {
  if (word === '') return 'A verb is missing.';
  const start = commandStart(of, commandPrefix);
  const verb = word.toLowerCase().replace(/[^a-z]+$/, '');
  const known = Object.hasOwn(VERBS_OF[of], verb) ? `; ${code(`${start} ${verb}`)} is` : '';
  return `${code(word)} is nothing that ${code(start)} can do${known}.`;
}

/** What is accepted, where it was not said like that; else empty. */
export function usageWords(said: Said, { commandPrefix }: Policy): string {
  return said.verb === 'wrong' ? ` Say it like this: ${code(usageOf(said.of, said.meant, commandPrefix))}.` : '';
}
