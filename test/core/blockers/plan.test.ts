import { describe, expect, it } from 'vitest';
import type { IssueBlocker } from '../../../src/core/blockers/blocker.ts';
import { planBlockersOf, type ToldBlocker } from '../../../src/core/blockers/plan.ts';
import { anEdge, at, T0 } from '../../support/builders.ts';

const BLOCKED = { repositoryId: '1', number: 12 };
const NOW = at(60);

function aTold(set: Partial<ToldBlocker> = {}): ToldBlocker {
  return { source: 'dependency', label: 'acme/widgets#5', blocker: { repositoryId: '1', number: 5 }, ...set };
}

function plan(edges: readonly IssueBlocker[], told: readonly ToldBlocker[]) {
  return planBlockersOf(BLOCKED, { edges, told }, NOW);
}

describe('a blocker that was not known', () => {
  it('counts at once as a dependency, which GitHub lets nobody make below triage', () => {
    expect(plan([], [aTold()])).toEqual([
      { change: 'added', edge: { ...anEdge(), state: 'active', addedBy: null, removedBy: null, at: NOW } },
    ]);
  });

  it('is to be judged as a line, which anybody may write into their own issue', () => {
    const [change] = plan([], [aTold({ source: 'body' })]);
    expect(change).toMatchObject({ change: 'added', edge: { source: 'body', state: 'pending', addedBy: null } });
  });

  it('is one edge, however often and however spelled it is named', () => {
    const lines = [
      aTold({ source: 'body' }),
      aTold({ source: 'body', label: 'Acme/Widgets#5' }),
      aTold({ source: 'body', label: 'gone/repo#1', blocker: { repositoryId: null, number: 1 } }),
      aTold({ source: 'body', label: 'GONE/repo#1', blocker: { repositoryId: null, number: 1 } }),
    ];
    expect(plan([], lines).map(({ edge }) => edge.label)).toEqual(['acme/widgets#5', 'gone/repo#1']);
  });

  it('is one edge for each way in which it is told', () => {
    expect(plan([], [aTold(), aTold({ source: 'body' })])).toHaveLength(2);
  });

  it('is nothing where the issue names itself', () => {
    expect(plan([], [aTold({ label: 'acme/widgets#12', blocker: BLOCKED })])).toEqual([]);
  });
});

describe('a blocker that is known', () => {
  it.each(['pending', 'active', 'refused'] as const)('stays as it is while it is told: %s', (state) => {
    expect(plan([anEdge({ state })], [aTold()])).toEqual([]);
  });

  it.each(['leaving', 'kept'] as const)('counts again where GitHub tells it again: %s', (state) => {
    const edge = anEdge({ state, removedBy: 'tom' });
    const back = { ...edge, state: 'active', removedBy: null, at: NOW };
    expect(plan([edge], [aTold()])).toEqual([{ change: 'restored', edge: back }]);
  });

  it('is judged after all where it is a line that went before anybody was', () => {
    const edge = anEdge({ source: 'body', state: 'leaving', addedBy: null });
    const [change] = plan([edge], [aTold({ source: 'body' })]);
    expect(change).toMatchObject({ change: 'restored', edge: { state: 'pending' } });
    const [judged] = plan([{ ...edge, addedBy: 'tom' }], [aTold({ source: 'body' })]);
    expect(judged).toMatchObject({ change: 'restored', edge: { state: 'active', addedBy: 'tom' } });
  });

  it('keeps its state under a new name', () => {
    const edge = anEdge({ label: 'acme/old#5' });
    expect(plan([edge], [aTold()])).toEqual([
      { change: 'renamed', edge: { ...edge, label: 'acme/widgets#5' }, was: edge },
    ]);
  });

  it('is the same once its repository can be read, and where it can not any more', () => {
    const unreadable = anEdge({ blocker: { repositoryId: null, number: 5 } });
    expect(plan([unreadable], [aTold()])).toEqual([{ change: 'renamed', edge: anEdge(), was: unreadable }]);
    const lost = aTold({ blocker: unreadable.blocker });
    expect(plan([anEdge()], [lost])).toEqual([{ change: 'renamed', edge: unreadable, was: anEdge() }]);
  });

  it('is not the issue of another repository that has its name by now', () => {
    const changes = plan([anEdge()], [aTold({ blocker: { repositoryId: '2', number: 5 } })]);
    expect(changes.map(({ change }) => change)).toEqual(['missed', 'added']);
  });
});

describe('a blocker that GitHub does not tell any more', () => {
  it.each(['pending', 'active'] as const)('blocks until who took it away is judged: %s', (state) => {
    const edge = anEdge({ state, at: T0 });
    expect(plan([edge], [])).toEqual([{ change: 'missed', edge: { ...edge, state: 'leaving', at: NOW } }]);
  });

  it.each(['leaving', 'kept'] as const)('is not judged anew: %s', (state) => {
    expect(plan([anEdge({ state })], [])).toEqual([]);
  });

  it('is forgotten where it never counted, and judged anew where it is written anew', () => {
    const refused = anEdge({ source: 'body', state: 'refused', addedBy: 'stranger' });
    expect(plan([refused], [])).toEqual([{ change: 'dropped', edge: refused }]);
    const [again] = plan([], [aTold({ source: 'body' })]);
    expect(again).toMatchObject({ edge: { state: 'pending', addedBy: null } });
  });

  it('leaves the others alone', () => {
    const other = anEdge({ label: 'acme/widgets#6', blocker: { repositoryId: '1', number: 6 } });
    const changes = plan([anEdge(), other], [aTold()]);
    expect(changes.map(({ change, edge }) => [change, edge.label])).toEqual([['missed', 'acme/widgets#6']]);
  });

  it('is not taken for the same issue told in the other way', () => {
    const changes = plan([anEdge({ source: 'body', addedBy: 'tom' })], [aTold()]);
    expect(changes.map(({ change, edge }) => [change, edge.source])).toEqual([
      ['missed', 'body'],
      ['added', 'dependency'],
    ]);
  });
});

it('has nothing left to change once it is carried out', () => {
  const edges = [
    anEdge({ state: 'kept' }),
    anEdge({ label: 'acme/widgets#6', blocker: { repositoryId: '1', number: 6 } }),
  ];
  const told = [aTold(), aTold({ source: 'body' })];
  const rows = new Map(edges.map((edge) => [`${edge.source} ${edge.label}`, edge]));
  for (const change of plan(edges, told)) {
    if (change.change === 'renamed') rows.delete(`${change.was.source} ${change.was.label}`);
    const key = `${change.edge.source} ${change.edge.label}`;
    if (change.change === 'dropped') rows.delete(key);
    else rows.set(key, change.edge);
  }
  expect(plan([...rows.values()], told)).toEqual([]);
});
