/**
 * From what GitHub tells of an issue's blockers to what becomes of the edges that are known: new, back again, gone. Whether
 * whoever wrote or took away an edge may do so is judged afterwards. Pure.
 */
import type { IssueRef } from '../issue.ts';
import { type EdgeState, type IssueBlocker, sameLabel } from './blocker.ts';

/** One blocker as GitHub tells it now: by a dependency of its own, or by a line of the issue's body. */
export type ToldBlocker = Pick<IssueBlocker, 'source' | 'label' | 'blocker'>;

/**
 * - `added`: there was no such edge.
 * - `restored`: it was gone, or going.
 * - `renamed`: the same issue by another name, or its repository can be read now; `was` is the row until now.
 * - `missed`: GitHub doesn't tell it any more; it goes on blocking until who took it away is judged.
 * - `dropped`: gone, and it never counted.
 */
export type EdgeChange =
  | { change: 'added' | 'restored' | 'missed' | 'dropped'; edge: IssueBlocker }
  | { change: 'renamed'; edge: IssueBlocker; was: IssueBlocker };

export function planBlockersOf(
  blocked: IssueRef,
  { edges, told }: { edges: readonly IssueBlocker[]; told: readonly ToldBlocker[] },
  now: Date,
): readonly EdgeChange[] {
  const left = new Set(edges);
  const changes: EdgeChange[] = [];
  for (const one of distinct(told.filter((one) => !isItself(blocked, one)))) {
    const known = matchOf([...left], one);
    if (known === undefined) {
      changes.push({ change: 'added', edge: newEdge(blocked, one, now) });
      continue;
    }
    left.delete(known);
    changes.push(...changesOfKnown(known, one, now));
  }
  // What goes comes first: an edge that stays may have its name.
  return [...[...left].flatMap((edge) => goneOf(edge, now)), ...changes];
}

/** Who wrote a line is not known yet; GitHub itself asks for `triage` where a dependency is made. */
function newEdge({ repositoryId, number }: IssueRef, told: ToldBlocker, at: Date): IssueBlocker {
  const state = told.source === 'body' ? 'pending' : 'active';
  return { repositoryId, number, ...told, state, addedBy: null, removedBy: null, at };
}

function changesOfKnown(known: IssueBlocker, { label, blocker }: ToldBlocker, now: Date): EdgeChange[] {
  const isGone = known.state === 'leaving' || known.state === 'kept';
  const state: EdgeState = isGone ? backAgain(known) : known.state;
  const edge: IssueBlocker = isGone
    ? { ...known, label, blocker, state, removedBy: null, at: now }
    : { ...known, label, blocker };
  if (label !== known.label || blocker.repositoryId !== known.blocker.repositoryId) {
    return [{ change: 'renamed', edge, was: known }];
  }
  return isGone ? [{ change: 'restored', edge }] : [];
}

/** A line that was gone before its author was judged is still to be judged. */
function backAgain({ source, addedBy }: IssueBlocker): EdgeState {
  return source === 'body' && addedBy === null ? 'pending' : 'active';
}

function goneOf(edge: IssueBlocker, at: Date): EdgeChange[] {
  switch (edge.state) {
    case 'refused':
      return [{ change: 'dropped', edge }];
    case 'pending':
    case 'active':
      return [{ change: 'missed', edge: { ...edge, state: 'leaving', at } }];
    case 'leaving':
    case 'kept':
      return [];
  }
}

function matchOf(edges: readonly IssueBlocker[], told: ToldBlocker): IssueBlocker | undefined {
  const ofSource = edges.filter(({ source }) => source === told.source);
  return ofSource.find((edge) => isSameIssue(edge, told)) ?? ofSource.find((edge) => mayBeSame(edge, told));
}

/** By name only where one of the two can't be read: names change, and another repository may have one by now. */
function mayBeSame(edge: ToldBlocker, told: ToldBlocker): boolean {
  const unread = edge.blocker.repositoryId === null || told.blocker.repositoryId === null;
  return unread && sameLabel(edge.label, told.label);
}

function isSameIssue({ blocker: a }: ToldBlocker, { blocker: b }: ToldBlocker): boolean {
  return a.repositoryId !== null && a.repositoryId === b.repositoryId && a.number === b.number;
}

function isItself({ repositoryId, number }: IssueRef, { blocker }: ToldBlocker): boolean {
  return blocker.repositoryId === repositoryId && blocker.number === number;
}

function distinct(told: readonly ToldBlocker[]): readonly ToldBlocker[] {
  return told.filter((one, index) => {
    const first = told.findIndex(
      (other) => other.source === one.source && (isSameIssue(other, one) || sameLabel(other.label, one.label)),
    );
    return first === index;
  });
}
