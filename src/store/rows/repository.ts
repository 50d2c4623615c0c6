import type { RepositoryAccess, RepositoryRef, RepositoryState, SweepProblem } from '../../engine/ports.ts';
import type { Repository } from '../generated/sqlite/client.ts';
import { pickGiven } from './columns.ts';

/** GitHub compares names without regard to case. */
export function toNameKey(fullName: string): string {
  return fullName.toLowerCase();
}

/** What is known of it beyond its name is set apart, and stays when the name is told again. */
export function toRepositoryRow(
  repository: RepositoryRef,
): Pick<Repository, 'id' | 'fullName' | 'nameKey' | 'installationId'> {
  const { id, fullName, installationId } = repository;
  return {
    id,
    fullName,
    nameKey: toNameKey(fullName),
    installationId: installationId === null ? null : BigInt(installationId),
  };
}

export function fromRepositoryRow(row: Repository): RepositoryRef {
  return {
    id: row.id,
    fullName: row.fullName,
    installationId: row.installationId === null ? null : Number(row.installationId),
  };
}

export function fromStateRow(row: Repository): RepositoryState {
  const { commentsSince, issuesSince, issuesEtag, sweptAt, verifiedAt, accessSince } = row;
  return {
    ...fromRepositoryRow(row),
    ...{ commentsSince, issuesSince, issuesEtag, sweptAt, verifiedAt, accessSince },
    sweepProblem: row.sweepProblem === null ? null : toProblem(JSON.parse(row.sweepProblem)),
    access: (row.access as RepositoryAccess | null) ?? 'ok',
  };
}

export function toStateChange(set: Partial<RepositoryState>): Partial<Repository> {
  const { sweptAt = null, verifiedAt = null, accessSince = null, sweepProblem = null, access } = set;
  const row = {
    ...{ sweptAt, verifiedAt },
    sweepProblem: sweepProblem === null ? null : JSON.stringify(sweepProblem),
    access: access === undefined || access === 'ok' ? null : access,
    accessSince: access === 'ok' ? null : accessSince,
  };
  return pickGiven(row, access === 'ok' ? { ...set, accessSince } : set);
}

/** In JSON every date is text. */
function toProblem(json: SweepProblem): SweepProblem {
  return { ...json, since: new Date(json.since), nextTryAt: new Date(json.nextTryAt) };
}
