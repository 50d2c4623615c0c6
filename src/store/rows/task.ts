import type { TaskSpec } from '../../core/documents/spec.ts';
import type { Hold, Release, Target, Task } from '../../core/task.ts';
import type { Task as TaskRow } from '../generated/sqlite/client.ts';
import { fromJson, fromJsonOrNull, pickGiven, toJson, toJsonOrNull, withDate } from './columns.ts';

export function toTaskRow(task: Task): TaskRow {
  return {
    id: task.id,
    key: task.key,
    name: task.name,
    batchId: task.batchId,
    repositoryId: task.repositoryId,
    issueNumber: task.issueNumber,
    spec: toJson(task.spec),
    position: task.position,
    needs: toJson(task.needs),
    priority: task.priority,
    state: task.state,
    cause: task.cause,
    actor: task.actor,
    target: toJsonOrNull(task.target),
    hold: toJsonOrNull(task.hold),
    blockers: toJson(task.blockers),
    released: toJson(task.released),
    generation: task.generation,
    attempt: task.attempt,
    runNumber: task.runNumber,
    requeueReason: task.requeueReason,
    endedByEpisodeId: task.endedByEpisodeId,
    exemptEpisodeId: task.exemptEpisodeId,
    reopenSeenEpisodeId: task.reopenSeenEpisodeId,
    notBefore: task.notBefore,
    notBeforeReason: task.notBeforeReason,
    notBeforeTold: task.notBeforeTold,
    needsDue: task.needsDue,
    createdAt: task.createdAt,
    updatedAt: task.updatedAt,
    finishedAt: task.finishedAt,
    version: task.version,
  };
}

export function toTaskChange(set: Partial<Omit<Task, 'id' | 'version'>>): Partial<TaskRow> {
  return pickGiven(toTaskRow(set as Task), set);
}

export function fromTaskRow(row: TaskRow): Task {
  const hold = fromJsonOrNull<Hold>(row.hold);
  return {
    ...row,
    spec: fromJson<TaskSpec>(row.spec),
    needs: fromJson<string[]>(row.needs),
    state: row.state as Task['state'],
    cause: row.cause as Task['cause'],
    target: fromJsonOrNull<Target>(row.target),
    hold: hold === null ? null : withDate(hold),
    blockers: fromJson<Task['blockers']>(row.blockers).map(withDate),
    notBeforeTold: row.notBeforeTold ?? false,
    needsDue: row.needsDue ?? true,
    released: (fromJsonOrNull<Release[]>(row.released) ?? []).map(withDate),
    requeueReason: row.requeueReason as Task['requeueReason'],
  };
}
