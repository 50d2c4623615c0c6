/** Which batch a command means: the one that it names, or that of the issue. */
import type { Batch } from '../../core/batch.ts';
import type { Deps } from '../deps.ts';
import { liveBatch } from '../live-batch.ts';
import type { InHand } from './in-hand.ts';

export type FoundBatch = { found: Batch } | { several: readonly Batch[] } | { none: string };

const NEWEST = 20;

export async function findBatch(deps: Deps, hand: InHand, word: string | null): Promise<FoundBatch> {
  return word === null ? ofIssue(deps, hand) : named(deps, hand, word);
}

/** The live one of that name, else its newest. */
async function named(deps: Deps, { comment, saidAt }: InHand, word: string): Promise<FoundBatch> {
  const { store } = deps;
  const { repositoryId } = comment;
  const byId = await store.batch(word);
  const isOurs = byId !== null && byId.repositoryId === repositoryId;
  const batch = isOurs
    ? byId
    : ((await liveBatch(deps, { repositoryId, name: word })) ?? (await store.newestBatch(repositoryId, word)));
  if (batch !== null && batch.createdAt <= saidAt) return { found: batch };
  return { none: `no batch of this repository is called ${word}` };
}

/** What runs, of those that were started here or have tasks of this issue; where none does, the newest of each name. */
async function ofIssue(deps: Deps, { comment, saidAt }: InHand): Promise<FoundBatch> {
  const { store } = deps;
  const { repositoryId, number } = comment;
  const ref = { repositoryId, number };
  const started = await store.batchesOfIssue(ref, NEWEST);
  const ids = new Set((await store.tasksOfIssue(ref)).flatMap(({ batchId }) => batchId ?? []));
  for (const { id } of started) ids.delete(id);
  const others = await Promise.all([...ids].map((id) => store.batch(id)));
  const all = [...started, ...others].filter((batch) => batch !== null && batch.createdAt <= saidAt) as Batch[];
  const live = all.filter(({ state }) => state === 'running');
  const meant = live.length > 0 ? live : newestOfEachName(all);
  if (meant.length > 1) return { several: meant };
  const [batch] = meant;
  return batch === undefined ? { none: 'no batch was started here or has a task of this issue' } : { found: batch };
}

function newestOfEachName(batches: readonly Batch[]): readonly Batch[] {
  const byAge = batches.toSorted((a, b) => a.createdAt.getTime() - b.createdAt.getTime() || (a.id < b.id ? -1 : 1));
  return [...new Map(byAge.map((batch) => [batch.name, batch])).values()];
}
