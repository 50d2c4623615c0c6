/** What the kernel killed for want of memory is told apart from what anybody else killed. */
import { chownSync, existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Probe } from '../../../src/core/run.ts';
import { ownGroup } from '../../../src/runners/process/containment/probe.ts';
import { type Here, inspectRuns } from '../../../src/runners/process/inspect.ts';
import { exploreMachine, type Machine } from '../../../src/runners/process/machine.ts';
import { startRun } from '../../../src/runners/process/start.ts';
import {
  BECOME_NOBODY,
  isRoot,
  makeOptions,
  NOBODY,
  open,
  orderOf,
  type RunnerOptions,
  removeRunner,
} from '../../support/process-runner.ts';
import { deadline, endByWord, eventually, makeMarker, NASTY, removeDirectory } from '../../support/processes.ts';
import { bundleHost, openHost } from '../../support/runner-host.ts';

let options: RunnerOptions;
afterEach(() => removeRunner(options));

/** A directory with the files of a control group stands for one, so that a machine without the memory controller will do. */
describe('a run in a group whose kills are counted', () => {
  let machine: Machine;
  let here: Here;

  beforeEach(async () => {
    options = makeOptions('scan');
    const groups = join(options.dataDir, 'groups');
    machine = { ...(await exploreMachine(options)), level: 'cgroup', groups };
    const { runs, results } = machine.places;
    here = { runs, results, groups, boot: machine.boot, now: () => new Date(), awakeSince: () => null };
  });

  /** `events`: what `memory.events` of its group has by then; null: there is no such file. */
  async function run(script: string, events: string | null): Promise<Probe> {
    const group = join(options.dataDir, 'groups', 'run_a');
    mkdirSync(group, { recursive: true });
    if (events !== null) writeFileSync(join(group, 'memory.events'), events);
    expect(await startRun(machine, orderOf('run_a', ['sh', '-c', script]), () => {})).toEqual({ result: 'started' });
    return eventually(() => {
      const probe = inspectRuns(here, ['run_a']).get('run_a');
      if (probe?.state !== 'exited') throw new Error(`still ${JSON.stringify(probe)}`);
      return probe;
    });
  }

  const counting = (kills: number, groupKills = 0): string =>
    `low 0\nhigh 7\nmax 12\noom 3\noom_kill ${kills}\noom_group_kill ${groupKills}\n`;

  it.each([
    ['one of its processes', counting(1)],
    ['the whole group', counting(0, 1)],
    ['several, on a kernel that counts no groups', 'oom 3\noom_kill 12\n'],
  ])('was killed for want of memory where that took %s', async (_, events) => {
    expect(await run('kill -KILL $$', events)).toMatchObject({
      ...{ exitCode: null, signal: 'KILL', survivors: [], reason: 'out_of_memory' },
    });
  });

  it.each<[string, string, string | null]>([
    ['was killed, and nothing for want of memory', 'kill -KILL $$', counting(0)],
    ['was killed, and nobody counts', 'kill -KILL $$', null],
    ['was killed, and the count says nothing', 'kill -KILL $$', ''],
    ['ended by another signal', 'kill -TERM $$', counting(1)],
    ['lost a process for want of memory, and has an exit code', 'exit 1', counting(1)],
    ['lost a process for want of memory, and succeeded', 'exit 0', counting(1)],
  ])('has no such reason where it %s', async (_, script, events) => {
    expect(await run(script, events)).not.toHaveProperty('reason');
  });

  it('has its exit code where that is what a shell makes of KILL, as far as the two can be told apart', async () => {
    const told = machine.shellTellsSignals ? { exitCode: 137, signal: null } : { reason: 'out_of_memory' };
    const probe = await run('exit 137', counting(1));
    expect(probe).toMatchObject(told);
    if (machine.shellTellsSignals) expect(probe).not.toHaveProperty('reason');
  });
});

it('a reason that is not known is none', async () => {
  options = makeOptions('scan');
  const control = await open(options);
  await control.start(orderOf('run_a', ['true']));
  const exit = join(options.dataDir, 'runs', 'run_a', 'exit');
  await eventually(() => expect(existsSync(exit)).toBe(true));
  writeFileSync(exit, 'status 137\nhow unknown\nat 1795978205943578199\nreason preempted\nend\n');
  const probe = (await control.inspect(['run_a'])).get('run_a');
  expect(probe).toMatchObject({ state: 'exited', signal: 'KILL' });
  expect(probe).not.toHaveProperty('reason');
  await control.close();
});

if (isRoot) {
  it('an app in a group that is kept for it alone gives runs theirs beside it, and not below', async () => {
    const marker = makeMarker();
    const dir = await bundleHost();
    options = makeOptions('cgroup', NOBODY);
    const given = delegatedGroup();
    const own = join(given, 'standdown-app');
    mkdirSync(own);
    const prefix = ['sh', '-c', 'echo 0 >"$0/cgroup.procs"; exec "$@"', own, ...BECOME_NOBODY];
    const host = await openHost({ dir, prefix, runner: options });
    try {
      await host.control.start(orderOf('run_a', [NASTY, 'plain', marker, deadline()]));
      await eventually(async () => expect(await host.control.log('run_a', 100)).toContain('ready'));
      const claim = readFileSync(join(options.dataDir, 'runs', 'run_a', 'claim'), 'utf8');
      const group = /^cgroup (.*)$/m.exec(claim)?.[1] ?? '';
      expect([dirname(dirname(group)), basename(group)]).toEqual([given, 'run_a']);
      expect(readFileSync(join(group, 'cgroup.procs'), 'utf8')).not.toBe('');
      await host.control.cancel('run_a', 'kill');
      await eventually(async () =>
        expect((await host.control.inspect(['run_a'])).get('run_a')).toMatchObject({ state: 'exited', signal: 'KILL' }),
      );
    } finally {
      endByWord(marker);
      await host.control.close();
      await eventually(() => rmdirSync(own));
      await eventually(() => rmdirSync(given));
      removeDirectory(dir);
    }
  });
}

/** As systemd gives one to a unit: its processes can be moved within it by the account that it is given to. */
function delegatedGroup(): string {
  const own = ownGroup(readFileSync('/proc/self/mountinfo', 'utf8'), readFileSync('/proc/self/cgroup', 'utf8'));
  const group = join(own, `standdown-test-oom-${process.pid}`);
  mkdirSync(group);
  for (const name of ['', 'cgroup.procs', 'cgroup.subtree_control', 'cgroup.threads']) {
    chownSync(join(group, name), NOBODY, NOBODY);
  }
  return group;
}
