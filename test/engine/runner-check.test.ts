/** The runner check finds what hints lost, and asks about many runs in turns. */
import { expect, it } from 'vitest';
import type { Probe } from '../../src/core/run.ts';
import type { Deps } from '../../src/engine/deps.ts';
import type { JobControl, LiveRun } from '../../src/engine/ports.ts';
import { checkRunners } from '../../src/engine/runner-check.ts';
import { anExit, aRunningProbe, T0 } from '../support/builders.ts';
import { silentLog } from '../support/databases.ts';

const liveRun = (id: string, state: LiveRun['state'] = 'running'): LiveRun => ({
  ...{ id, state, taskId: `task-of-${id}`, runner: 'local', repositoryId: '1', batchId: null },
});

function world(runs: readonly LiveRun[], probeOf: (id: string) => Probe) {
  const asked: string[][] = [];
  const enqueued: string[] = [];
  const runner = {
    inspect: async (ids: readonly string[]) => {
      asked.push([...ids]);
      return new Map(ids.map((id) => [id, probeOf(id)]));
    },
  };
  const deps = {
    store: {
      liveRuns: async () => runs,
      queue: { enqueue: async (keys: readonly { key: string }[]) => void enqueued.push(...keys.map(({ key }) => key)) },
    },
    runners: { get: () => runner as unknown as JobControl },
    clock: () => T0,
    log: silentLog,
  } as unknown as Deps;
  return { deps, asked, enqueued };
}

it('looks at the tasks of runs that ended unheard or are on their way, and at no others', async () => {
  const runs = [liveRun('ended'), liveRun('goes-on'), liveRun('begins', 'starting'), liveRun('stops', 'stopping')];
  const { deps, enqueued } = world(runs, (id) => (id === 'ended' ? anExit() : aRunningProbe()));
  await checkRunners(deps);
  expect(enqueued.sort()).toEqual(['task:task-of-begins', 'task:task-of-ended', 'task:task-of-stops']);
});

it('asks about every one of many runs within some turns, and about those on their way each time', async () => {
  const runs = [liveRun('stops', 'stopping'), ...Array.from({ length: 250 }, (_, index) => liveRun(`r${index}`))];
  const { deps, asked } = world(runs, () => aRunningProbe());
  for (const turn of [1, 2, 3]) await checkRunners(deps, turn);
  expect(asked.every((ids) => ids.includes('stops') && ids.length <= 101)).toBe(true);
  expect(new Set(asked.flat()).size).toBe(251);
});

it('waits for no runner with the others', async () => {
  const runs = [{ ...liveRun('far'), runner: 'lab' }, liveRun('ended')];
  const { deps, enqueued } = world(runs, () => anExit());
  const near = deps.runners.get('local');
  let giveUp: (error: Error) => void = () => {};
  const silence = new Promise<never>((_, reject) => {
    giveUp = reject;
  });
  const far = { inspect: () => silence } as unknown as JobControl;
  const check = checkRunners({ ...deps, runners: { ...deps.runners, get: (name) => (name === 'lab' ? far : near) } });
  await expect.poll(() => enqueued).toEqual(['task:task-of-ended']);
  giveUp(new Error('no answer in time'));
  await check;
  expect(enqueued).toEqual(['task:task-of-ended']);
});
