/** One command of a comment: whether its author may say it, whether it comes in time, and who carries it out. */
import { age } from '../../core/report/text.ts';
import type { Deps } from '../deps.ts';
import { githubNow } from '../github-clock.ts';
import { actOnTasks } from './act-on-tasks.ts';
import { onBatch } from './batches.ts';
import { type InHand, type Next, refused, settle } from './in-hand.ts';
import { rightTo, type Speaker, startsWork } from './rights.ts';
import { runTemplate } from './run-template.ts';
import { showLog, showStatus } from './show.ts';

/** Who said it that long ago has gone on to something else: what starts work is to be said again. */
const LATE_MS = 3_600_000;

/** What was carried out before stays as it is. */
export async function carryOut(deps: Deps, hand: InHand, index: number): Next {
  const command = hand.comment.commands[index];
  if (command === undefined || command.outcome !== null) return hand;
  const { said } = command;
  const right = rightTo(said, speakerOf(hand), hand.policy);
  if (right.by === null) return settle(deps, hand, index, refused('not_permitted', right.words));
  const late = startsWork(said) && command.tasks === null ? lateness(deps, hand) : null;
  if (late !== null) return settle(deps, hand, index, refused('late', late));
  switch (said.verb) {
    case 'help':
    case 'unknown':
      return settle(deps, hand, index, { result: 'help' });
    case 'wrong':
      return settle(deps, hand, index, refused('other', said.problem));
    default:
      break;
  }
  if (said.of === 'batch') return onBatch(deps, hand, index, said);
  switch (said.verb) {
    case 'run':
      return runTemplate(deps, hand, index, said);
    case 'status':
      return showStatus(deps, hand, index, right);
    case 'logs':
      return showLog(deps, hand, index, right);
    default:
      return actOnTasks(deps, hand, index, right);
  }
}

export function speakerOf({ comment, permission, issue }: InHand): Speaker {
  const isAuthor = comment.author !== null && comment.author === issue.author;
  return { login: comment.author, permission, isAuthor };
}

/** null: in time. */
function lateness(deps: Deps, { comment: { createdAt } }: InHand): string | null {
  const now = githubNow(deps);
  if (now.getTime() - createdAt.getTime() <= LATE_MS) return null;
  return `found ${age(createdAt, now)} after it was said: say it again if it still holds`;
}
