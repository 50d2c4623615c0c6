/** `/batch` verbs: a batch of the repository's file is started; one that is there is cancelled, resumed or shown. */
import type { Batch } from '../../core/batch.ts';
import type { Said } from '../../core/commands/said.ts';
import type { CommandComment, CommandOutcome } from '../../core/comment.ts';
import { batchOf } from '../../core/documents/index.ts';
import { type BatchResult, cancelBatch, resumeBatch } from '../batch-orders.ts';
import type { Deps } from '../deps.ts';
import { type SubmitResult, submitBatch } from '../submit-batch.ts';
import { findBatch } from './find-batches.ts';
import { type InHand, type Next, outcomeUpdate, refused, settle } from './in-hand.ts';
import { openIssue, problemWords } from './run-template.ts';
import { fileOf, whatThereIs } from './startable.ts';

export type BatchSaid = Extract<Said, { of: 'batch'; verb: 'run' | 'cancel' | 'resume' | 'status' }>;

export async function onBatch(deps: Deps, hand: InHand, index: number, said: BatchSaid): Next {
  if (said.verb === 'run') return runBatch(deps, hand, index, said.batch);
  const meant = await findBatch(deps, hand, said.batch);
  if ('none' in meant) return settle(deps, hand, index, refused('other', meant.none));
  if ('several' in meant) {
    const choices = meant.several.map(({ id, name, state }) => ({ id, key: name, state }));
    return settle(deps, hand, index, { result: 'ambiguous', choices });
  }
  const { id, name } = meant.found;
  if (said.verb === 'status') return settle(deps, hand, index, { result: 'batch_status', batchId: id, name });
  return order(deps, hand, index, { verb: said.verb, batch: meant.found });
}

async function order(
  deps: Deps,
  hand: InHand,
  index: number,
  { verb, batch: { id, name } }: { verb: 'cancel' | 'resume'; batch: Batch },
): Next {
  const result = verb === 'cancel' ? ('batch_cancelled' as const) : ('batch_resumed' as const);
  const { writes, after } = outcomeUpdate(hand, index, { result, batchId: id, name }, deps.clock());
  const asked = { actor: hand.comment.author ?? 'unknown', cause: 'command', also: writes } as const;
  const answer: BatchResult =
    verb === 'cancel'
      ? await cancelBatch(deps, id, { ...asked, now: false })
      : await resumeBatch(deps, id, { ...asked, force: false });
  if (answer.result === 'accepted') return { ...hand, comment: after };
  const words = answer.result === 'conflict' ? answer.message : 'there is no such batch any more';
  return settle(deps, hand, index, refused('other', words));
}

async function runBatch(deps: Deps, hand: InHand, index: number, name: string): Next {
  const refuse = (words: string) => settle(deps, hand, index, refused('other', words));
  const file = fileOf(hand);
  if ('refused' in file) return refuse(file.refused);
  const draft = batchOf(file, name, hand.repository.fullName);
  if (draft === null) return refuse(`no batch is called ${name}; ${whatThereIs(hand, file.batches)}`);
  const issue = await openIssue(deps, hand);
  if ('refused' in issue) return refuse(issue.refused);
  let after: CommandComment | null = null;
  const started = ({ id }: Pick<Batch, 'id'>) => {
    const outcome: CommandOutcome = { result: 'batch_started', batchId: id, name };
    const update = outcomeUpdate(hand, index, outcome, deps.clock());
    after = update.after;
    return update.writes;
  };
  const actor = hand.comment.author ?? 'unknown';
  const options = { dryRun: false, actor, issueNumber: hand.comment.number, also: started };
  const answer = await submitBatch(deps, draft, options);
  if (answer.result === 'created') return after === null ? null : { ...hand, comment: after };
  return refuse(whyNot(answer));
}

function whyNot(answer: Exclude<SubmitResult, { result: 'created' }>): string {
  switch (answer.result) {
    case 'invalid':
      return problemWords(answer.problems);
    case 'conflict':
    case 'unavailable':
      return answer.message;
    case 'planned':
      return 'it was only planned';
  }
}
