/** What issues are blocked by, and what is held beyond a task or a batch. */
import type { StoreReads } from '../engine/ports.ts';
import type { Database } from './database.ts';
import { fromBlockerRow } from './rows/blocker.ts';
import { fromHoldRow } from './rows/hold.ts';

export function makeBlockerReads(db: Database): Pick<StoreReads, 'blockersOf' | 'issuesBlockedBy' | 'holds'> {
  return {
    blockersOf: async ({ repositoryId, number }) => {
      const where = { repositoryId, issueNumber: number };
      const rows = await db.issueBlocker.findMany({ where, orderBy: [{ label: 'asc' }, { source: 'asc' }] });
      return rows.map(fromBlockerRow);
    },
    issuesBlockedBy: async ({ repositoryId, number }) => {
      const groups = await db.issueBlocker.groupBy({
        by: ['repositoryId', 'issueNumber'],
        where: { blockerRepositoryId: repositoryId, blockerNumber: number },
        orderBy: [{ repositoryId: 'asc' }, { issueNumber: 'asc' }],
      });
      return groups.map((group) => ({ repositoryId: group.repositoryId, number: group.issueNumber }));
    },
    holds: async () => (await db.hold.findMany({ orderBy: [{ at: 'asc' }, { scope: 'asc' }] })).map(fromHoldRow),
  };
}
