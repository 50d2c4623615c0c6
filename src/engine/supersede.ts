/** A new batch takes the place of a stuck one of its name. */
import { isLive } from '../core/run.ts';
import { isEnded } from '../core/task.ts';
import type { Deps } from './deps.ts';
import { liveBatch } from './live-batch.ts';
import type { RepositoryRef, Write } from './ports.ts';
import { endTask } from './transition/parts.ts';

/** A batch in which nothing runs or can start holds no lock: its place is taken, and what it still waited for is off. */
export async function supersede(
  deps: Deps,
  repository: RepositoryRef,
  by: { name: string; actor: string; now: Date },
): Promise<Write[]> {
  const live = await liveBatch(deps, { repositoryId: repository.id, name: by.name });
  if (live === null) return [];
  const { id, version } = live;
  const ending = { state: 'cancelled', cause: 'superseded', actor: by.actor, episodeId: null } as const;
  const told = { now: by.now, effect: null, line: 'ended' } as const;
  const ends: Write[] = [];
  for (const task of await deps.store.tasksOfBatch(id)) {
    const run = await deps.store.newestRun(task.id);
    // One that nobody could kill yet ends when it is seen gone.
    if (!isEnded(task.state) && !isLive(run)) ends.push(...endTask({ task, run }, ending, told).writes);
  }
  const set = { state: 'cancelled', stuck: false, order: null, finishedAt: by.now } as const;
  return [...ends, { write: 'batch.update', id, version, set }];
}
