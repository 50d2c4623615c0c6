/** The answer to a comment: once all of it is carried out, and what that did was seen. */
import { type CommandComment, replyEffect } from '../../core/comment.ts';
import { isTellable } from '../../core/report/outcome.ts';
import { type ReplyReport, renderReply } from '../../core/report/reply.ts';
import type { Deps } from '../deps.ts';
import type { OutcomeView } from '../ports.ts';
import { fileInForce } from '../repository-file.ts';
import { batchStatusOf, statusOf, tableOf } from './gather-tasks.ts';
import type { Rendered } from './rendered.ts';

const PREFIX = replyEffect('');
/** More tasks than this are told without what they are now. */
const MAX_TASKS = 200;

export async function gatherReply(deps: Deps, view: OutcomeView): Promise<Rendered> {
  const { item } = view;
  const comment = await deps.store.comment(item.key.slice(PREFIX.length));
  if (comment === null || comment.state === 'ignored') return null;
  if (comment.state === 'due' || !isSeen(view, deps.clock())) return 'not_yet';
  return { body: renderReply({ id: item.id, comment, entries: entriesOf(view), ...(await factsOf(deps, comment)) }) };
}

/** Whether what the commands did to runs was seen, or has to be told as it is. */
export function isSeen(view: OutcomeView, now: Date): boolean {
  return isTellable({ entries: entriesOf(view) }, now.getTime() - view.item.createdAt.getTime());
}

function entriesOf({ lines }: OutcomeView): ReplyReport['entries'] {
  return lines.map(({ line, task, run }) => ({ effect: line.effect, result: line.result, task, run }));
}

type Facts = Pick<ReplyReport, 'named' | 'batches' | 'status' | 'help'>;

async function factsOf(deps: Deps, comment: CommandComment): Promise<Facts> {
  const { repositoryId, commands } = comment;
  const asksForStatus = commands.some(({ outcome, tasks }) => outcome?.result === 'status' && tasks === null);
  const [file, policy] = await Promise.all([fileInForce(deps.store, repositoryId), deps.policyOf(repositoryId)]);
  const [named, batches] = await Promise.all([namedIn(deps, comment), batchesOf(deps, comment)]);
  return { named, batches, status: asksForStatus ? await statusOf(deps, comment) : null, help: { file, policy } };
}

async function namedIn(deps: Deps, { commands }: CommandComment): Promise<Facts['named']> {
  const ids = new Set(commands.flatMap(({ tasks }) => (tasks ?? []).map(({ taskId }) => taskId)));
  const read = await Promise.all([...ids].slice(0, MAX_TASKS).map((id) => deps.store.task(id)));
  return tableOf(
    deps,
    read.filter((task) => task !== null),
  );
}

async function batchesOf(deps: Deps, { commands }: CommandComment): Promise<Facts['batches']> {
  const ids = new Set(
    commands.flatMap(({ outcome }) => (outcome !== null && 'batchId' in outcome ? [outcome.batchId] : [])),
  );
  const read = await Promise.all([...ids].map((id) => deps.store.batch(id)));
  const known = read.filter((batch) => batch !== null);
  return new Map(await Promise.all(known.map(async (batch) => [batch.id, await batchStatusOf(deps, batch)] as const)));
}
