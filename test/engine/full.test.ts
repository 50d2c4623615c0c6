/** What has no place for one more run, so that nobody reads the thousands of tasks that wait for one. */
import { expect, it } from 'vitest';
import type { HoldScope } from '../../src/core/hold.ts';
import { areRunnersFull, fullRepositories, isShut } from '../../src/engine/full.ts';
import type { Deps, LiveRun } from '../../src/engine/index.ts';

const LIMITS = { maxRunning: 10, maxRunningPerRepository: 3 };

/** Runners by how many runs each takes; null: any number. */
function depsOf(runners: Record<string, number | null>): Deps {
  const get = (name: string) => (name in runners ? { profile: { maxRunning: runners[name] } } : null);
  return { limits: LIMITS, runners: { get, names: () => Object.keys(runners) } } as unknown as Deps;
}

function runs(count: number, set: Partial<LiveRun> = {}): LiveRun[] {
  const run = { runner: 'local', state: 'running', repositoryId: '7', batchId: null, ...set } as const;
  return Array.from({ length: count }, (_, index) => ({ id: `run_${index}`, taskId: `task_${index}`, ...run }));
}

function held(...scopes: HoldScope[]) {
  return scopes.map((scope) => ({ scope, reason: null, actor: 'ann', at: new Date() }));
}

it('nothing can start while as many run as may, or everything is on hold', () => {
  const deps = depsOf({ local: null });
  expect(isShut(deps, { running: runs(10), holds: [] })).toBe(true);
  expect(isShut(deps, { running: [], holds: held({ kind: 'all' }) })).toBe(true);
  expect(isShut(deps, { running: runs(9), holds: held({ kind: 'runner', runner: 'local' }) })).toBe(false);
});

it.each([
  ['the only runner runs as many as it may', { local: 2 }, runs(2), [], true],
  [
    'one does, and the other is on hold',
    { local: 2, gpu: 1 },
    runs(1, { runner: 'gpu' }),
    held({ kind: 'runner', runner: 'local' }),
    true,
  ],
  ['there is none', {}, [], [], true],
  ['one has a place', { local: 2, gpu: 1 }, runs(2), [], false],
  ['one takes any number', { local: null }, runs(9), [], false],
  ['only a repository is on hold', { local: 2 }, [], held({ kind: 'repository', repositoryId: '7' }), false],
] as const)('whether the runners are full where %s', (_, runners, running, holds, full) => {
  expect(areRunnersFull(depsOf(runners), { running, holds })).toBe(full);
});

it('a repository is full that runs as many as it may, or is held', () => {
  const running = [...runs(3, { repositoryId: '7' }), ...runs(2, { repositoryId: '8' })];
  const holds = held({ kind: 'repository', repositoryId: '9' }, { kind: 'repository', repositoryId: '7' });
  expect([...fullRepositories(depsOf({ local: null }), { running, holds })].sort()).toEqual(['7', '9']);
  expect(fullRepositories(depsOf({ local: null }), { running, holds: [] })).toEqual(['7']);
});
