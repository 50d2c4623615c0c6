/** One row written under its guard: what each kind of write means in the tables. */
import type { Batch } from '../../../core/batch.ts';
import type { Write } from '../../../engine/ports.ts';
import { formatScope } from '../../hold-scope.ts';
import { edgeId, issueId, nameId, type Tables } from '../database.ts';
import { isHeldBy } from '../lease.ts';
import { deleteAttended, insertAttended, updateAttended } from './attended.ts';
import { insertComment, putFile, setCommentsSince, updateComment } from './comment.ts';
import { guard, insist, insistOnRepository } from './guard.ts';
import { putCursor, putMissed, setIssuesSince, setRepositoryState } from './repository.ts';

type Addition = 'outbox.owe' | 'outbox.line' | 'outbox.unlock' | 'work.enqueue' | 'event.append';
type Change = Exclude<Write, { write: Addition }>;
type Of<Name extends Change['write']> = Extract<Change, { write: Name }>;

const CHANGES: { [Name in Change['write']]: (tables: Tables, change: Of<Name>) => void } = {
  'repository.put': putRepository,
  'file.put': putFile,
  'comments.since': setCommentsSince,
  'issues.since': setIssuesSince,
  'repository.state': setRepositoryState,
  'missed.put': putMissed,
  'cursor.put': putCursor,
  'comment.insert': insertComment,
  'comment.update': updateComment,
  'issue.insert': insertIssue,
  'issue.update': updateIssue,
  'episode.insert': insertEpisode,
  'episode.update': updateEpisode,
  'blocker.put': putBlocker,
  'blocker.delete': deleteBlocker,
  'hold.put': putHold,
  'hold.delete': deleteHold,
  'batch.insert': insertBatch,
  'batch.update': updateBatch,
  'task.insert': insertTask,
  'task.update': updateTask,
  'task.followed': followTask,
  'run.insert': insertRun,
  'run.update': updateRun,
  'attended.insert': insertAttended,
  'attended.update': updateAttended,
  'attended.delete': deleteAttended,
  'work.held': expectHeld,
  'delivery.settle': settleDelivery,
};

export function isChange(write: Write): write is Change {
  return write.write in CHANGES;
}

export function applyChange(tables: Tables, change: Change): void {
  // What a name leads to takes the change of that name; TypeScript does not follow the two together.
  const apply = CHANGES[change.write] as (tables: Tables, change: Change) => void;
  apply(tables, change);
}

/** A name belongs to whoever had it last. */
function putRepository(tables: Tables, { repository }: Of<'repository.put'>): void {
  tables.put(tables.repositories, repository.id, repository);
  tables.put(tables.names, nameId(repository.fullName), repository.id);
}

function insertIssue(tables: Tables, { issue }: Of<'issue.insert'>): void {
  guard(!tables.issues.has(issueId(issue)));
  insistOnRepository(tables, issue.repositoryId);
  tables.put(tables.issues, issueId(issue), issue);
}

function updateIssue(tables: Tables, { ref, version, set }: Of<'issue.update'>): void {
  const known = tables.issues.get(issueId(ref));
  guard(known?.version === version);
  tables.put(tables.issues, issueId(ref), { ...known!, ...set, version: version + 1 });
}

function insertEpisode(tables: Tables, { episode }: Of<'episode.insert'>): void {
  const isSame = (known: typeof episode) =>
    known.nodeId === episode.nodeId && known.closedAt.getTime() === episode.closedAt.getTime();
  guard(!tables.episodes.has(episode.id) && ![...tables.episodes.values()].some(isSame));
  insistOnRepository(tables, episode.repositoryId);
  tables.put(tables.episodes, episode.id, episode);
}

function updateEpisode(tables: Tables, { id, from, set }: Of<'episode.update'>): void {
  const known = tables.episodes.get(id);
  guard(known !== undefined && from.includes(known.state));
  tables.put(tables.episodes, id, { ...known, ...set });
}

function putBlocker(tables: Tables, { blocker }: Of<'blocker.put'>): void {
  insistOnRepository(tables, blocker.repositoryId);
  tables.put(tables.blockers, edgeId(blocker), blocker);
}

function deleteBlocker(tables: Tables, { blocker }: Of<'blocker.delete'>): void {
  tables.remove(tables.blockers, edgeId(blocker));
}

function putHold(tables: Tables, { hold }: Of<'hold.put'>): void {
  tables.put(tables.holds, formatScope(hold.scope), hold);
}

function deleteHold(tables: Tables, { scope }: Of<'hold.delete'>): void {
  guard(tables.holds.has(formatScope(scope)));
  tables.remove(tables.holds, formatScope(scope));
}

function insertBatch(tables: Tables, { batch }: Of<'batch.insert'>): void {
  guard(!tables.batches.has(batch.id));
  guard(batch.state !== 'running' || hasFreeName(tables, batch));
  insistOnRepository(tables, batch.repositoryId);
  tables.put(tables.batches, batch.id, batch);
}

/** A batch that is set running again claims its name again. */
function updateBatch(tables: Tables, { id, version, set }: Of<'batch.update'>): void {
  const known = tables.batches.get(id);
  guard(known !== undefined && known.version === version);
  guard(set.state !== 'running' || hasFreeName(tables, known));
  tables.put(tables.batches, id, { ...known, ...set, version: version + 1 });
}

function hasFreeName({ batches }: Tables, { id, repositoryId, name }: Batch): boolean {
  const others = [...batches.values()].filter((batch) => batch.id !== id && batch.state === 'running');
  return !others.some((batch) => batch.repositoryId === repositoryId && batch.name === name);
}

function insertTask(tables: Tables, { task }: Of<'task.insert'>): void {
  const { id, batchId, key } = task;
  insist(!tables.tasks.has(id), `task ${id} is there already`);
  insistOnRepository(tables, task.repositoryId);
  if (batchId !== null) {
    insist(tables.batches.has(batchId), `no batch ${batchId}`);
    const isSame = (known: typeof task) => known.batchId === batchId && known.key === key;
    insist(![...tables.tasks.values()].some(isSame), `batch ${batchId} has a task ${key} already`);
  }
  tables.put(tables.tasks, id, task);
}

function followTask(tables: Tables, { id, version }: Of<'task.followed'>): void {
  const known = tables.tasks.get(id);
  if (known?.version === version) tables.put(tables.tasks, id, { ...known, needsDue: false });
}

function updateTask(tables: Tables, { id, version, set }: Of<'task.update'>): void {
  const known = tables.tasks.get(id);
  guard(known?.version === version);
  tables.put(tables.tasks, id, { ...known!, ...set, version: version + 1 });
}

function insertRun(tables: Tables, { run }: Of<'run.insert'>): void {
  const isSame = (known: typeof run) => known.taskId === run.taskId && known.number === run.number;
  guard(!tables.runs.has(run.id) && ![...tables.runs.values()].some(isSame));
  insist(tables.tasks.has(run.taskId), `no task ${run.taskId}`);
  tables.put(tables.runs, run.id, run);
}

function updateRun(tables: Tables, { id, from, set }: Of<'run.update'>): void {
  const known = tables.runs.get(id);
  guard(known !== undefined && from.includes(known.state));
  tables.put(tables.runs, id, { ...known, ...set });
}

function expectHeld({ keys }: Tables, { lease }: Of<'work.held'>): void {
  guard(isHeldBy(keys.get(lease.key), lease.fence));
}

/** What it said is not needed any more; that it came has to be remembered. */
function settleDelivery(tables: Tables, { id, outcome }: Of<'delivery.settle'>): void {
  const known = tables.deliveries.get(id);
  guard(known !== undefined && known.outcome === null);
  tables.put(tables.deliveries, id, { ...known, payload: '', outcome });
}
