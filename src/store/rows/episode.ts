import type { Authority, CloseEpisode } from '../../core/issue.ts';
import type { CloseEpisode as EpisodeRow } from '../generated/sqlite/client.ts';
import { pickGiven } from './columns.ts';

export function toEpisodeRow(episode: CloseEpisode): EpisodeRow {
  return {
    id: episode.id,
    repositoryId: episode.repositoryId,
    issueNumber: episode.number,
    nodeId: episode.nodeId,
    closedAt: episode.closedAt,
    reason: episode.reason,
    actor: episode.actor,
    authority: episode.authority,
    action: episode.action,
    state: episode.state,
    learnedAt: episode.learnedAt,
    ...toReopenColumns(episode.reopen),
  };
}

export function toEpisodeChange(
  set: Partial<Pick<CloseEpisode, 'state' | 'authority' | 'actor' | 'reason' | 'action' | 'reopen'>>,
): Partial<EpisodeRow> {
  const { reopen, ...plain } = set;
  return {
    ...pickGiven(toEpisodeRow({ ...set, reopen: null } as CloseEpisode), plain),
    ...(reopen === undefined ? {} : toReopenColumns(reopen)),
  };
}

function toReopenColumns(
  reopen: CloseEpisode['reopen'],
): Pick<EpisodeRow, 'reopenActor' | 'reopenAuthority' | 'reopenAt'> {
  return {
    reopenActor: reopen?.actor ?? null,
    reopenAuthority: reopen?.authority ?? null,
    reopenAt: reopen?.at ?? null,
  };
}

export function fromEpisodeRow(row: EpisodeRow): CloseEpisode {
  const { issueNumber, reopenActor, reopenAuthority, reopenAt, ...rest } = row;
  return {
    ...rest,
    number: issueNumber,
    reason: row.reason as CloseEpisode['reason'],
    authority: row.authority as Authority,
    action: row.action as CloseEpisode['action'],
    state: row.state as CloseEpisode['state'],
    reopen: reopenAt === null ? null : { actor: reopenActor, authority: reopenAuthority as Authority, at: reopenAt },
  };
}
