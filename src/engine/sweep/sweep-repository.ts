/** One repository at its turn: the issues that changed, and the commands that a lost webhook carried. Its failures are its own. */
import { pauseBefore, waitsUntil } from '../../core/sweep-pace.ts';
import { listComments } from '../commands/sweep-comments.ts';
import { repositoryEvent } from '../journal.ts';
import { verifyKey } from '../keys.ts';
import type { RepositoryState, SweepProblem, Write } from '../ports.ts';
import { endedOf } from './followed.ts';
import { firstCursor, listChanged, reachesBackTo } from './list-changed.ts';
import { keepProblem, withoutProblem } from './problem.ts';
import { type FileOfTurn, makeFileOfTurn, TOLD_FILE } from './refresh-file.ts';
import { allowanceOf, type Sweeper, someTimeAfter } from './sweeper.ts';

/** Where nothing is tracked, only a command can be missed, and a delivery that failed is asked for again anyway. */
const IDLE_MS = 600_000;
/** So rarely a file that was not there is looked for where nothing is tracked. */
const NO_FILE_MS = 86_400_000;
/** How often everything is looked at. */
const VERIFY_MS = 3_600_000;

export interface Swept {
  /** Issues that have to be read. */
  changes: number;
  problem: SweepProblem | null;
  /** When its next turn is; null: when somebody asks for it. */
  nextAt: Date | null;
}

/** Told of each repository's turn. */
export type OnSwept = (repositoryId: string, swept: Swept) => void;

const NOT_SWEPT: Swept = { changes: 0, problem: null, nextAt: null };

/** `isAskedFor`: by somebody who wants to know all, or at the start. */
export async function sweepRepository(
  sweeper: Sweeper,
  repositoryId: string,
  { isAskedFor = false }: { isAskedFor?: boolean } = {},
): Promise<Swept> {
  const { deps } = sweeper;
  const state = await deps.store.repositoryState(repositoryId);
  // What can't be reached is looked at by itself, and swept again once it can.
  if (state === null || state.access === 'gone' || state.access === 'suspended') return NOT_SWEPT;
  const wait = waitsUntil(allowanceOf(sweeper, state), deps.clock());
  if (wait !== null) return { ...NOT_SWEPT, nextAt: sweeper.intervalMs > 0 ? someTimeAfter(sweeper, wait) : null };
  try {
    return await sweepNow(sweeper, state, isAskedFor);
  } catch (error) {
    const problem = await keepProblem(sweeper, state, 'changes', error);
    return { changes: 0, problem, nextAt: sweeper.intervalMs > 0 ? problem.nextTryAt : null };
  }
}

async function sweepNow(sweeper: Sweeper, state: RepositoryState, isAskedFor: boolean): Promise<Swept> {
  const { deps } = sweeper;
  const begun = deps.clock();
  const isFollowed = await hasTracked(sweeper, state);
  const isKnown = isTold(sweeper) && (isFollowed || (!isAskedFor && (await hasNoFile(sweeper, state))));
  const file = isKnown ? TOLD_FILE : makeFileOfTurn(deps, state);
  const { changes, isWhole } = isFollowed ? await listFrom(sweeper, state, file) : { changes: 0, isWhole: true };
  const unread = await file.atLast();
  // An issue that was closed after a command was written is known to be by now.
  await listComments(deps, state);
  if (unread !== null) throw unread;
  await keepSwept(sweeper, state, { begun, changes, isWhole });
  return { changes, problem: null, nextAt: isWhole ? nextTurn(sweeper, state, isFollowed) : deps.clock() };
}

/** A push tells of its first file; of one that is not there GitHub's answer is never cheap. */
async function hasNoFile({ deps }: Sweeper, { id }: RepositoryState): Promise<boolean> {
  const stored = await deps.store.repositoryFile(id);
  return stored?.sha === null && deps.clock().getTime() - stored.checkedAt.getTime() < NO_FILE_MS;
}

async function hasTracked({ deps }: Sweeper, { id }: RepositoryState): Promise<boolean> {
  const { since, endedBy } = await endedOf(deps, id);
  return deps.store.isTracked(id, since, endedBy);
}

/** The first time from now on: what came before, the look at each issue finds, if none was made just now. */
async function listFrom(sweeper: Sweeper, state: RepositoryState, file: FileOfTurn) {
  if (state.issuesSince !== null) return listChanged(sweeper, state, { since: state.issuesSince, file });
  const { store } = sweeper.deps;
  const to = firstCursor(sweeper);
  const begin: Write = { write: 'issues.since', repositoryId: state.id, from: null, to, etag: null };
  const kept = await store.commit([begin, ...lookAtEverything(sweeper, state)]);
  return kept
    ? listChanged(sweeper, { ...state, issuesSince: to, issuesEtag: null }, { since: to, file })
    : { changes: 0, isWhole: false };
}

function lookAtEverything({ deps, intervalMs }: Sweeper, { id, verifiedAt }: RepositoryState): Write[] {
  const now = deps.clock();
  const key = verifyKey(id);
  if (!reachesBackTo(verifiedAt, now)) return [{ write: 'work.enqueue', key, dueAt: now }];
  return intervalMs > 0 ? [{ write: 'work.enqueue', key, dueAt: new Date(now.getTime() + VERIFY_MS) }] : [];
}

async function keepSwept(
  { deps }: Sweeper,
  state: RepositoryState,
  { begun, changes, isWhole }: { begun: Date; changes: number; isWhole: boolean },
): Promise<void> {
  const writes: Write[] = [];
  if (changes > 0) writes.push(repositoryEvent('RECONCILIATION_STARTED', deps.clock(), state.id, { changes }));
  const swept = isWhole ? { sweptAt: begun } : {};
  writes.push({
    write: 'repository.state',
    repositoryId: state.id,
    set: { ...swept, ...withoutProblem(state, 'changes') },
  });
  await deps.store.commit(writes);
}

/** Whether webhooks bring what people say and push: without them the sweep alone does. */
function isTold({ deps }: Sweeper): boolean {
  return deps.configuredRepository === undefined;
}

function nextTurn(sweeper: Sweeper, state: RepositoryState, isFollowed: boolean): Date | null {
  const { deps, intervalMs, chance } = sweeper;
  if (intervalMs === 0) return null;
  const wished = isFollowed || !isTold(sweeper) ? intervalMs : Math.max(intervalMs, IDLE_MS);
  return new Date(deps.clock().getTime() + pauseBefore(wished, allowanceOf(sweeper, state), chance()));
}
