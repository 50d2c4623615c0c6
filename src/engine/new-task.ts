/** A task as it begins. */
import type { Task } from '../core/task.ts';

type Given = Pick<
  Task,
  'id' | 'key' | 'name' | 'batchId' | 'repositoryId' | 'issueNumber' | 'spec' | 'position' | 'needs' | 'priority'
>;

export function newTask(given: Given, now: Date): Task {
  return {
    ...given,
    state: given.needs.length > 0 ? 'waiting' : 'ready',
    cause: null,
    actor: null,
    target: null,
    hold: null,
    blockers: [],
    released: [],
    generation: 1,
    attempt: 0,
    runNumber: 0,
    requeueReason: null,
    endedByEpisodeId: null,
    exemptEpisodeId: null,
    reopenSeenEpisodeId: null,
    notBefore: null,
    notBeforeReason: null,
    notBeforeTold: false,
    needsDue: false,
    createdAt: now,
    updatedAt: now,
    finishedAt: null,
    version: 1,
  };
}
