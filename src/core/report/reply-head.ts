/** Who asked, and by what right what was done was theirs to ask: the first line of a reply. Pure. */
import type { Said } from '../commands/said.ts';
import type { CommandComment, CommentCommand } from '../comment.ts';
import { atLeast, type Permission, type Policy } from '../policy.ts';
import { person } from './neutral.ts';

type Asked = Pick<CommandComment, 'author' | 'permission' | 'commands'>;

export function headOf({ author, permission, commands }: Asked, policy: Policy): string {
  const role = permission === 'none' || permission === null ? '' : ` (${permission})`;
  const accepted = commands.filter(isAccepted);
  if (accepted.length === 0) return `${person(author)}${role} asked for this:`;
  const isByRole = accepted.every(({ said }) => atLeast(permission ?? 'none', neededFor(said, policy)));
  return `As ${person(author)}${isByRole ? role : ' (the issue’s author)'} asked:`;
}

/** Whether anything of it was done. */
function isAccepted({ outcome, tasks }: CommentCommand): boolean {
  if (outcome === null || outcome.result === 'refused' || outcome.result === 'ambiguous') return false;
  return outcome.result !== 'acted' || (tasks ?? []).some(({ accepted }) => accepted === true);
}

/** What is no verb, or not complete, is answered with help. */
function neededFor({ verb }: Said, { permissions }: Policy): Permission {
  return verb === 'unknown' || verb === 'wrong' ? permissions.help : permissions[verb];
}
