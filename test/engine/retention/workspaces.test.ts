/** Which directories of tasks go, and when. */
import { beforeEach, expect, it } from 'vitest';
import { DEFAULT_POLICY, type Deps, type JobControl, type Run, type Task } from '../../../src/engine/index.ts';
import { pruneWorkspaces } from '../../../src/engine/retention/prune-workspaces.ts';
import { makeMemoryStore } from '../../../src/store/memory/index.ts';
import { aClosedIssue, aRun, aTask, T0 } from '../../support/builders.ts';
import { silentLog } from '../../support/databases.ts';

const DAY = 86_400_000;
const daysAgo = (days: number) => new Date(now.getTime() - days * DAY);
const now = new Date(T0.getTime() + 1_000 * DAY);

let deps: Deps;
let listed: string[];
let removed: string[];
let busy: string[];
let silent: { since: Date; reason: string } | null;
let reopenWindowDays: number;

beforeEach(async () => {
  [listed, removed, busy, silent, reopenWindowDays] = [[], [], [], null, 14];
  const runner = {
    get profile() {
      return { silent };
    },
    workspaces: async () => listed.filter((id) => !removed.includes(id)),
    async removeWorkspace(id: string) {
      if (busy.includes(id)) throw new Error('busy');
      removed.push(id);
      return true;
    },
  } as unknown as JobControl;
  const away = {
    profile: {},
    workspaces: () => Promise.reject(new Error('away')),
    removeWorkspace: () => Promise.reject(new Error('away')),
  } as unknown as JobControl;
  deps = {
    store: makeMemoryStore({ now: () => now, onEnqueued: () => {} }),
    runners: { names: () => ['away', 'local'], get: (name: string) => (name === 'away' ? away : runner) },
    policyOf: async () => ({ ...DEFAULT_POLICY, reopenWindowDays }),
    clock: () => now,
    log: silentLog,
  } as unknown as Deps;
  const repository = { id: '1', fullName: 'acme/widgets', installationId: null };
  await deps.store.commit([{ write: 'repository.put', repository }]);
});

/** Ended so many days ago, with one run. */
async function task(id: string, days: number, set: Partial<Task> = {}, run: Partial<Run> = {}): Promise<void> {
  const given = aTask({
    id,
    key: id,
    batchId: null,
    issueNumber: null,
    state: 'done',
    finishedAt: daysAgo(days),
    ...set,
  });
  const ended = { state: 'succeeded', endedAt: daysAgo(days), goneAt: daysAgo(days) } as const;
  await deps.store.commit([
    { write: 'task.insert', task: given },
    { write: 'run.insert', run: aRun({ id: `run_of_${id}`, taskId: id, ...ended, ...run }) },
  ]);
  listed.push(id);
}

it('those of tasks that are over go after the days of their logs, and no others', async () => {
  await task('old', 31);
  await task('young', 29);
  await task('unfinished', 31, { state: 'ready', finishedAt: null });
  await task('named', 31, { spec: { ...aTask().spec, workingDirectory: 'models' } });
  await task('alive', 31, {}, { state: 'stopping', endedAt: null, goneAt: null });
  await task('orphan', 31, {}, { state: 'lost', endedAt: null, termAt: daysAgo(0) });
  listed.push('of_nobody');
  expect(await pruneWorkspaces(deps)).toEqual({ count: 1, rest: false });
  expect(removed).toEqual(['old']);
});

it('they stay as long as a reopen may queue their task again', async () => {
  await deps.store.commit([{ write: 'issue.insert', issue: aClosedIssue({ closedAt: daysAgo(13) }) }]);
  await task('closed_late', 40, { issueNumber: 12 });
  await task('alone', 40);
  reopenWindowDays = 45;
  await pruneWorkspaces(deps);
  expect(removed).toEqual([]);
  reopenWindowDays = 14;
  await pruneWorkspaces(deps);
  expect(removed).toEqual(['alone']);
  reopenWindowDays = 12;
  await pruneWorkspaces(deps);
  expect(removed).toEqual(['alone', 'closed_late']);
});

it('one that can not be removed keeps no other, and is asked for again', async () => {
  for (const id of ['a', 'b']) await task(id, 31);
  busy = ['a'];
  expect(await pruneWorkspaces(deps)).toEqual({ count: 1, rest: false });
  busy = [];
  await pruneWorkspaces(deps);
  expect(removed).toEqual(['b', 'a']);
});

it('a runner that falls silent meanwhile is not waited for once more for each of them', async () => {
  for (const id of ['a', 'b', 'c']) await task(id, 31);
  const runner = deps.runners.get('local')!;
  const asked: string[] = [];
  const removeWorkspace = async (id: string) => {
    asked.push(id);
    silent = { since: now, reason: 'no answer in time' };
    throw new Error('no answer in time');
  };
  Object.assign(runner, { removeWorkspace });
  expect(await pruneWorkspaces(deps)).toEqual({ count: 0, rest: false });
  expect(asked).toEqual(['a']);
});
