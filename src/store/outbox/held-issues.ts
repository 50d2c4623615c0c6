/** Which issues have a message in somebody's hands: no other message of theirs may be sent meanwhile. */
import type { Statements } from '../database.ts';
import type { Prisma } from '../generated/sqlite/client.ts';

export interface IssueColumns {
  repositoryId: string;
  issueNumber: number;
}

export function readHeldIssues(statements: Statements, leaseClock: Date): Promise<IssueColumns[]> {
  return statements.outboxItem.findMany({
    where: { leaseUntil: { gt: leaseClock } },
    select: { repositoryId: true, issueNumber: true },
  });
}

export function notOfIssues(issues: readonly IssueColumns[]): Prisma.OutboxItemWhereInput {
  return issues.length === 0 ? {} : { NOT: { OR: [...issues] } };
}
