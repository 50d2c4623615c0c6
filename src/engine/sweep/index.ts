/**
 * The sweep: what the webhooks missed. Each repository has a turn of its own, a durable key that comes again by itself; a pass over
 * all of them is made at the start, and whenever somebody asks for it.
 */
import type { Deps } from '../deps.ts';
import { eachOf } from '../each-of.ts';
import { findConfigured } from '../find-repository.ts';
import { repositoryKey } from '../keys.ts';
import { followedRepositories } from './followed.ts';
import { sweepOneByOne } from './one-by-one.ts';
import type { SweepResult } from './result.ts';
import { type OnSwept, type Swept, sweepRepository } from './sweep-repository.ts';
import { makeSweeper, type Sweeper } from './sweeper.ts';
import { verifyRepository } from './verify-repository.ts';

export { dataAge } from './data-age.ts';
export { discover } from './discover.ts';
export type { SweepResult } from './result.ts';
export { type OnSwept, type Swept, sweepRepository } from './sweep-repository.ts';
export { makeSweeper, type Sweeper } from './sweeper.ts';
export { verifyRepository } from './verify-repository.ts';
export { makeWatch } from './watch.ts';

const AT_ONCE = 8;

/** Every repository at once, and every tracked issue. What has news is looked at right after. */
export async function sweep(
  deps: Deps,
  sweeper: Sweeper | null = makeSweeper(deps, 0),
  onSwept: OnSwept = () => {},
): Promise<SweepResult> {
  await findConfigured(deps);
  if (sweeper === null) return sweepOneByOne(deps);
  const followed = new Set(await followedRepositories(deps));
  const result = { changes: 0, errors: [] as SweepResult['errors'][number][] };
  await eachOf(await deps.store.repositories(), AT_ONCE, async ({ id }) => {
    // First the rare look, because it reads the file that says what a close means.
    const looks = followed.has(id) ? [verifyRepository, wholeTurn] : [wholeTurn];
    for (const look of looks) {
      const swept = await look(sweeper, id);
      onSwept(id, swept);
      const { changes, problem } = swept;
      result.changes += changes;
      if (problem !== null) result.errors.push({ taskId: null, issue: null, ...pick(problem) });
    }
  });
  return result;
}

async function wholeTurn(sweeper: Sweeper, id: string): Promise<Swept> {
  const { store, clock } = sweeper.deps;
  const swept = await sweepRepository(sweeper, id, { isAskedFor: true });
  // The rest of a long listing, also where repositories have no turns of their own.
  const isCut = swept.nextAt !== null && swept.nextAt <= clock();
  if (isCut) await store.queue.enqueue([{ key: repositoryKey(id), dueAt: clock() }]);
  return swept;
}

function pick({ code, message }: { code: string; message: string }) {
  return { code, message };
}
