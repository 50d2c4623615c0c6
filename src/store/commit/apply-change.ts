/** One row written under its guard: what each kind of write means in the tables. */
import type { Write } from '../../engine/ports.ts';
import type { Statements } from '../database.ts';
import { formatScope } from '../hold-scope.ts';
import { toAttendedChange, toAttendedRow } from '../rows/attended-run.ts';
import { toBatchRow } from '../rows/batch.ts';
import { toBlockerKey } from '../rows/blocker.ts';
import { toCommentChange, toCommentRow } from '../rows/comment.ts';
import { toEpisodeChange, toEpisodeRow } from '../rows/episode.ts';
import { toIssueChange, toIssueRow } from '../rows/issue.ts';
import { toStateChange } from '../rows/repository.ts';
import { toRunChange, toRunRow } from '../rows/run.ts';
import { toTaskChange } from '../rows/task.ts';
import { updateBatch } from './batch.ts';
import { putBlocker } from './blocker.ts';
import { putCursor, putMissed } from './delivery.ts';
import { expectNew, expectOne } from './guard.ts';
import { putHold } from './hold.ts';
import { putRepository } from './repository.ts';
import { putFile } from './repository-file.ts';

const LATER = ['outbox.owe', 'outbox.line', 'outbox.unlock', 'work.held', 'work.enqueue', 'event.append'] as const;
export type Change = Exclude<Write, { write: (typeof LATER)[number] }>;

export function isChange(write: Write): write is Change {
  return !LATER.some((later) => later === write.write);
}

const NEXT_VERSION = { version: { increment: 1 } };

export async function applyChange(tx: Statements, change: Exclude<Change, { write: 'task.insert' }>): Promise<void> {
  switch (change.write) {
    case 'repository.put':
      return putRepository(tx, change.repository);
    case 'file.put':
      return putFile(tx, change.file);
    case 'comments.since': {
      const where = { id: change.repositoryId, commentsSince: change.from };
      return expectOne(tx.repository.updateMany({ where, data: { commentsSince: change.to } }));
    }
    case 'issues.since': {
      const where = { id: change.repositoryId, issuesSince: change.from };
      return expectOne(tx.repository.updateMany({ where, data: { issuesSince: change.to, issuesEtag: change.etag } }));
    }
    case 'repository.state': {
      const data = toStateChange(change.set);
      return void (await tx.repository.updateMany({ where: { id: change.repositoryId }, data }));
    }
    case 'missed.put':
      return putMissed(tx, change.missed);
    case 'cursor.put':
      return putCursor(tx, change);
    case 'comment.insert':
      return expectNew(tx.comment.create({ data: toCommentRow(change.comment), select: { id: true } }));
    case 'comment.update': {
      const where = { id: change.id, version: change.version };
      return expectOne(tx.comment.updateMany({ where, data: { ...toCommentChange(change.set), ...NEXT_VERSION } }));
    }
    case 'issue.insert':
      return expectNew(tx.issue.create({ data: toIssueRow(change.issue), select: { number: true } }));
    case 'issue.update': {
      const { repositoryId, number } = change.ref;
      const where = { repositoryId, number, version: change.version };
      return expectOne(tx.issue.updateMany({ where, data: { ...toIssueChange(change.set), ...NEXT_VERSION } }));
    }
    case 'episode.insert':
      return expectNew(tx.closeEpisode.create({ data: toEpisodeRow(change.episode), select: { id: true } }));
    case 'episode.update': {
      const where = { id: change.id, state: { in: [...change.from] } };
      return expectOne(tx.closeEpisode.updateMany({ where, data: toEpisodeChange(change.set) }));
    }
    case 'blocker.put':
      return putBlocker(tx, change.blocker);
    case 'blocker.delete':
      return void (await tx.issueBlocker.deleteMany({ where: toBlockerKey(change.blocker) }));
    case 'hold.put':
      return putHold(tx, change.hold);
    case 'hold.delete':
      return expectOne(tx.hold.deleteMany({ where: { scope: formatScope(change.scope) } }));
    case 'batch.insert':
      return expectNew(tx.batch.create({ data: toBatchRow(change.batch, change.document), select: { id: true } }));
    case 'batch.update':
      return updateBatch(tx, change);
    case 'task.update': {
      const where = { id: change.id, version: change.version };
      return expectOne(tx.task.updateMany({ where, data: { ...toTaskChange(change.set), ...NEXT_VERSION } }));
    }
    case 'task.followed': {
      const where = { id: change.id, version: change.version };
      return void (await tx.task.updateMany({ where, data: { needsDue: false } }));
    }
    case 'run.insert':
      return expectNew(tx.run.create({ data: toRunRow(change.run), select: { id: true } }));
    case 'run.update': {
      const where = { id: change.id, state: { in: [...change.from] } };
      return expectOne(tx.run.updateMany({ where, data: toRunChange(change.set) }));
    }
    case 'attended.insert':
      return expectNew(tx.attendedRun.create({ data: toAttendedRow(change.attended), select: { runId: true } }));
    case 'attended.update': {
      const phase = change.from === undefined ? {} : { phase: { in: [...change.from] } };
      const where = { runId: change.runId, session: change.session, end: null, ...phase };
      return expectOne(tx.attendedRun.updateMany({ where, data: toAttendedChange(change.set) }));
    }
    case 'attended.delete':
      return expectOne(tx.attendedRun.deleteMany({ where: { runId: change.runId } }));
    case 'delivery.settle': {
      const data = { outcome: change.outcome, settledAt: change.at };
      return expectOne(tx.delivery.updateMany({ where: { id: change.id, outcome: null }, data }));
    }
  }
}
