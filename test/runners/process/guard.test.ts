/** Never the wrong process: a record that names one is no leave to signal it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, renameSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Probe } from '../../../src/core/run.ts';
import { type JobControl, RunnerUnreachable } from '../../../src/engine/ports/runner.ts';
import { ownGroup } from '../../../src/runners/process/containment/probe.ts';
import { bootId, readStat } from '../../../src/runners/process/proc.ts';
import {
  isRoot,
  LEVELS,
  makeOptions,
  open,
  orderOf,
  type RunnerOptions,
  removeRunner,
} from '../../support/process-runner.ts';
import { endByWord, eventually, makeMarker, removeDirectory } from '../../support/processes.ts';
import { bundleHost, openHost } from '../../support/runner-host.ts';

let options: RunnerOptions;
let control: JobControl;
let bystander: ChildProcess;

beforeEach(async () => {
  options = makeOptions('scan');
  control = await open(options);
  bystander = spawn('sleep', ['20'], { detached: true, stdio: 'ignore' });
});
afterEach(async () => {
  bystander.kill('SIGKILL');
  await control.close();
  removeRunner(options);
});

interface Forged {
  pid: number | string;
  start: string;
  boot: string;
  level: string;
  group?: string;
}

function forge(runId: string, { pid, start, boot, level, group = '' }: Forged): void {
  const dir = join(options.dataDir, 'runs', runId);
  mkdirSync(dir, { recursive: true });
  const identity = `pid ${pid}\nstart ${start}\nboot ${boot}\nend\n`;
  writeFileSync(
    join(dir, 'claim'),
    `by supervisor\nlevel ${level}\nat 1795978205943578199\ncgroup ${group}\n${identity}`,
  );
  writeFileSync(join(dir, 'work'), `by program\n${identity}`);
}

async function probe(runId: string): Promise<Probe | undefined> {
  return (await control.inspect([runId])).get(runId);
}

async function expectUntouched(runId: string): Promise<void> {
  expect(await probe(runId)).toMatchObject({ state: 'vanished', survivors: [] });
  expect(await control.cancel(runId, 'term')).toBe('already_ended');
  expect(await control.cancel(runId, 'kill')).toBe('already_ended');
  expect(readStat(bystander.pid ?? 0)).not.toBeNull();
}

describe.each(LEVELS)('at the level %s', (level) => {
  const group = '/sys/fs/cgroup/not-there/run_a';

  it('a pid with another start time belongs to somebody else', async () => {
    forge('run_a', { pid: bystander.pid ?? 0, start: '1', boot: bootId(), level, group });
    await expectUntouched('run_a');
  });

  it('a pid of another boot belongs to somebody else', async () => {
    const start = readStat(bystander.pid ?? 0)?.start ?? '';
    forge('run_a', { pid: bystander.pid ?? 0, start, boot: '764f2e9e-0000-0000-0000-40066491e30e', level, group });
    await expectUntouched('run_a');
  });

  it('a record that names no single process is unreadable, signals nobody, and hides no other run', async () => {
    await control.start(orderOf('run_good', ['true']));
    for (const pid of ['0', '1', '-1', '', 'x', '99999999999999999999']) {
      forge('run_a', { pid, start: '1', boot: bootId(), level, group });
      const answer = await control.inspect(['run_a', 'run_good']);
      expect(answer.get('run_a')).toMatchObject({ state: 'unreadable', problem: expect.stringContaining('run_a') });
      expect(answer.get('run_good')?.state).toMatch(/running|exited/);
      await expect(control.cancel('run_a', 'kill')).rejects.toThrow('names no process');
    }
    await eventually(async () => expect(await probe('run_good')).toMatchObject({ state: 'exited' }));
  });
});

it('a run of the same id, of another app on this machine, is somebody else’s', async () => {
  const others = makeOptions('scan');
  const other = await open(others);
  try {
    for (const runner of [control, other]) await runner.start(orderOf('run_a', ['sleep', '20']));
    await eventually(async () => expect(await control.cancel('run_a', 'kill')).toBe('already_ended'));
    expect((await other.inspect(['run_a'])).get('run_a')).toMatchObject({ state: 'running' });
    await other.cancel('run_a', 'kill');
    const ended = { state: 'exited', signal: 'KILL' };
    await eventually(async () => expect((await other.inspect(['run_a'])).get('run_a')).toMatchObject(ended));
  } finally {
    await other.close();
    removeRunner(others);
  }
});

it('records that are garbage are unreadable, not absent', async () => {
  const dir = join(options.dataDir, 'runs', 'run_a');
  mkdirSync(dir);
  for (const text of ['', 'garbage', 'by supervisor\nend\n', 'by supervisor\nlevel magic\npid 5\nend\n', '\0\0\0']) {
    writeFileSync(join(dir, 'claim'), text);
    expect(await probe('run_a')).toMatchObject({ state: 'unreadable' });
  }
});

it('after a reboot a run without an exit has vanished, and one with an exit keeps it', async () => {
  const self = { pid: bystander.pid ?? 0, start: readStat(bystander.pid ?? 0)?.start ?? '', level: 'pidns' };
  for (const runId of ['run_a', 'run_b']) forge(runId, { ...self, boot: 'another-boot' });
  const ended = 'status 3\nhow exited\nat 1795978206943578199\nend\n';
  writeFileSync(join(options.dataDir, 'runs', 'run_b', 'ended'), ended);
  expect(await probe('run_a')).toMatchObject({ state: 'vanished', survivors: [] });
  expect(await probe('run_b')).toMatchObject({ state: 'exited', exitCode: 3, endedAt: new Date(1795978206943) });
});

it('a data directory that is away is no answer, not "no such run"', async () => {
  await control.start(orderOf('run_a', ['true']));
  await eventually(async () => expect(await probe('run_a')).toMatchObject({ state: 'exited' }));
  const runs = join(options.dataDir, 'runs');
  renameSync(runs, `${runs}-away`);
  await expect(control.inspect(['run_a'])).rejects.toThrow(RunnerUnreachable);
  await expect(control.cancel('run_a', 'void')).rejects.toThrow(RunnerUnreachable);
  await expect(control.start(orderOf('run_b', ['true']))).rejects.toThrow(RunnerUnreachable);
  await expect(control.list()).rejects.toThrow(RunnerUnreachable);
  renameSync(`${runs}-away`, runs);
  expect(await probe('run_a')).toMatchObject({ state: 'exited' });
  expect(await probe('run_b')).toEqual({ state: 'no_record' });
});

if (isRoot) {
  it('a group that is not the run’s own is left alone', async () => {
    const own = ownGroup(readFileSync('/proc/self/mountinfo', 'utf8'), readFileSync('/proc/self/cgroup', 'utf8'));
    const group = join(own, `standdown-bystander-${process.pid}`);
    mkdirSync(group);
    writeFileSync(join(group, 'cgroup.procs'), String(bystander.pid));
    try {
      forge('run_a', { pid: 999_999, start: '1', boot: bootId(), level: 'cgroup', group });
      await expectUntouched('run_a');
    } finally {
      bystander.kill('SIGKILL');
      await eventually(() => rmdirSync(group));
    }
  });

  it('a pid that the kernel really gave to somebody else is not signalled', async () => {
    const marker = makeMarker();
    const dir = await bundleHost();
    // A pid namespace of the test's own, in which the next pid can be chosen.
    const prefix = ['unshare', '--pid', '--fork', '--kill-child', '--mount-proc', 'sh', '-c', '"$@" & wait $!', 'sh'];
    const host = await openHost({ dir, prefix, runner: options });
    try {
      await host.control.start(orderOf('run_a', ['sleep', '20']));
      const pidOf = (name: string): string => {
        const text = readFileSync(join(options.dataDir, 'runs', 'run_a', name), 'utf8');
        return /^pid (\d+)$/m.exec(text)?.[1] ?? '';
      };
      await eventually(() => expect(pidOf('work')).not.toBe(''));
      await host.control.start(orderOf('run_b', ['sh', '-c', TAKE_PID, marker, pidOf('claim'), pidOf('work')]));
      await eventually(async () => expect(await host.control.log('run_b', 100)).toBe('taken\n'));
      expect((await host.control.inspect(['run_a'])).get('run_a')).toMatchObject({ state: 'vanished', survivors: [] });
      expect(await host.control.cancel('run_a', 'term')).toBe('already_ended');
      expect(await host.control.cancel('run_a', 'kill')).toBe('already_ended');
      expect((await host.control.inspect(['run_b'])).get('run_b')).toMatchObject({ state: 'running' });
      expect(await host.control.log('run_b', 100)).toBe('taken\n');
    } finally {
      await host.kill();
      endByWord(marker);
      removeDirectory(dir);
    }
  });
}

/** Kills a supervisor and its program, then becomes the leader of a session with that program's pid; says so if that dies. */
const TAKE_PID = `
kill -9 "$1" "$2"
while kill -0 "$2" 2>/dev/null; do sleep 0.02; done
tries=0
while [ $tries -lt 100 ]; do
  echo $(($2 - 1)) >/proc/sys/kernel/ns_last_pid
  setsid sleep 15 &
  [ $! = "$2" ] && break
  kill -9 $!
  tries=$((tries + 1))
done
[ $! = "$2" ] && echo taken
wait $!
echo lost
`;

it('a data directory that can not hold records is refused at once', async () => {
  const other = makeOptions('scan');
  writeFileSync(join(other.dataDir, 'runs'), '');
  chmodSync(join(other.dataDir, 'runs'), 0o600);
  await expect(open(other)).rejects.toThrow();
  removeRunner(other);
});
