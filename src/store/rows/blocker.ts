import type { IssueBlocker } from '../../core/blockers/blocker.ts';
import type { IssueBlocker as BlockerRow } from '../generated/sqlite/client.ts';

/** What names an edge: its primary key. */
export type BlockerKey = Pick<IssueBlocker, 'repositoryId' | 'number' | 'source' | 'label'>;

export function toBlockerKey(edge: BlockerKey): Pick<BlockerRow, 'repositoryId' | 'issueNumber' | 'source' | 'label'> {
  return { repositoryId: edge.repositoryId, issueNumber: edge.number, source: edge.source, label: edge.label };
}

export function toBlockerRow(edge: IssueBlocker): BlockerRow {
  return {
    ...toBlockerKey(edge),
    blockerRepositoryId: edge.blocker.repositoryId,
    blockerNumber: edge.blocker.number,
    state: edge.state,
    addedBy: edge.addedBy,
    removedBy: edge.removedBy,
    at: edge.at,
  };
}

export function fromBlockerRow(row: BlockerRow): IssueBlocker {
  const { issueNumber, blockerRepositoryId, blockerNumber, ...rest } = row;
  return {
    ...rest,
    number: issueNumber,
    blocker: { repositoryId: blockerRepositoryId, number: blockerNumber },
    source: row.source as IssueBlocker['source'],
    state: row.state as IssueBlocker['state'],
  };
}
