/** What all shapes are made with. Keys are snake_case, times ISO 8601 in UTC; what no shape lists stays inside. */
import type { Hold } from '../../core/task.ts';
import type { RepositoryRef } from '../../engine/ports.ts';

export type Repositories = ReadonlyMap<string, RepositoryRef>;

/** null: it was forgotten. */
export function fullName(id: string, repositories: Repositories): string | null {
  return repositories.get(id)?.fullName ?? null;
}

export function time<T extends Date | null>(at: T): T extends Date ? string : string | null {
  return (at?.toISOString() ?? null) as T extends Date ? string : string | null;
}

/** Whole seconds, and never negative where a clock was set back. */
export function ageSeconds(since: Date, now: Date): number {
  return Math.max(0, Math.floor((now.getTime() - since.getTime()) / 1_000));
}

export function presentHold({ reason, actor, at }: Hold) {
  return { reason, actor, at: time(at) };
}
