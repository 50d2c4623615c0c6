import type { BranchBefore, Run } from '../../core/run.ts';
import type { Run as RunRow } from '../generated/sqlite/client.ts';
import { fromJson, fromJsonOrNull, pickGiven, toJson, toJsonOrNull } from './columns.ts';

export function toRunRow(run: Run): RunRow {
  return {
    id: run.id,
    taskId: run.taskId,
    number: run.number,
    generation: run.generation,
    purpose: run.purpose,
    runner: run.runner,
    state: run.state,
    cause: run.cause,
    reason: run.reason,
    failureClass: run.failureClass,
    exitCode: run.exitCode,
    signal: run.signal,
    containment: run.containment,
    createdAt: run.createdAt,
    startedAt: run.startedAt,
    cancelRequestedAt: run.cancelRequestedAt,
    termAt: run.termAt,
    killAt: run.killAt,
    survivors: toJson(run.survivors),
    endedAt: run.endedAt,
    goneAt: run.goneAt,
    branchBefore: toJsonOrNull(run.branchBefore),
  };
}

export function toRunChange(set: Partial<Omit<Run, 'id' | 'taskId' | 'number'>>): Partial<RunRow> {
  return pickGiven(toRunRow(set as Run), set);
}

export function fromRunRow(row: RunRow): Run {
  return {
    ...row,
    purpose: row.purpose as Run['purpose'],
    state: row.state as Run['state'],
    cause: row.cause as Run['cause'],
    failureClass: row.failureClass as Run['failureClass'],
    containment: row.containment as Run['containment'],
    survivors: fromJson<number[]>(row.survivors),
    branchBefore: fromJsonOrNull<BranchBefore>(row.branchBefore),
  };
}
