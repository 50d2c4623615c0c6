/** The parts that read what others wrote. */
import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { ownGroup } from '../../../src/runners/process/containment/probe.ts';
import { environmentText, problemOfEnvironment } from '../../../src/runners/process/environment.ts';
import { shapeLog } from '../../../src/runners/process/log.ts';
import { parseStat, readStat } from '../../../src/runners/process/proc.ts';
import { findProgram } from '../../../src/runners/process/program.ts';
import { isFileName } from '../../../src/runners/process/records.ts';

describe('/proc/PID/stat', () => {
  const rest = '10 20 30 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 1 0 168027 1 2 3';

  it('is read from the last parenthesis, whatever the command is called', () => {
    for (const name of ['sh', 'a b', ') S 1 1 1', '((', 'x) Z 9 9 9 (', 'new\nline']) {
      const stat = parseStat(5, `5 (${name}) S ${rest}`);
      expect(stat).toEqual({ pid: 5, ppid: 10, group: 20, session: 30, start: '168027', isStopped: false });
    }
  });

  it('of a zombie or a dead process counts as no process', () => {
    expect(parseStat(5, `5 (sh) T ${rest}`)).toMatchObject({ isStopped: true });
    for (const state of ['Z', 'X']) expect(parseStat(5, `5 (sh) ${state} ${rest}`)).toBeNull();
    expect(parseStat(5, '5 (sh) S 1 2')).toBeNull();
    expect(readStat(2 ** 22 + 1)).toBeNull();
  });

  it('of this process is its own', () => {
    expect(readStat(process.pid)).toMatchObject({ pid: process.pid, ppid: process.ppid });
  });
});

describe('the own control group', () => {
  const mount = (root: string, place: string): string =>
    `38 31 0:35 ${root} ${place} rw,relatime shared:9 - cgroup2 cgroup2 rw`;

  it('is found below the mount, also where only a part of the hierarchy is mounted', () => {
    expect(ownGroup(mount('/', '/sys/fs/cgroup'), '0::/system.slice/a.service\n')).toBe(
      '/sys/fs/cgroup/system.slice/a.service',
    );
    expect(ownGroup(mount('/docker/1', '/sys/fs/cgroup'), '4:memory:/x\n0::/docker/1/sub\n')).toBe(
      '/sys/fs/cgroup/sub',
    );
    expect(ownGroup(mount('/', '/mnt/with\\040blank'), '0::/\n')).toBe('/mnt/with blank/');
  });

  it('outside of what is mounted is none', () => {
    expect(() => ownGroup(mount('/docker/1', '/sys/fs/cgroup'), '0::/docker/10\n')).toThrow('no cgroup2 file system');
    expect(() => ownGroup(mount('/', '/sys/fs/cgroup'), '0::/../..\n')).toThrow('no cgroup2 file system');
    expect(() => ownGroup('31 23 0:28 / /sys rw - sysfs sysfs rw', '0::/\n')).toThrow('no cgroup2 file system');
    expect(() => ownGroup(mount('/', '/sys/fs/cgroup'), '1:cpu:/\n')).toThrow('in no cgroup of version 2');
  });
});

describe('the text of an environment', () => {
  it('gives a shell every value as it is', () => {
    const values = ["it's", "''", '$(id)`id`$HOME\\', 'a\nb\n\nc', '#end run_a', ' ', '', 'ünï🚀', '"', '\t\r\u0007'];
    const env = Object.fromEntries(values.map((value, i) => [`V${i}`, value]));
    const show = 'eval "$1"; perl -e \'print map { $ENV{"V$_"}, "\\0" } 0 .. 9\'';
    const seen = execFileSync('sh', ['-c', show, 'sh', environmentText(env, 'run_a')]).toString();
    expect(seen.split('\0').slice(0, -1)).toEqual(values);
  });

  it('ends with a line that proves that it is whole', () => {
    expect(environmentText({ A: '1' }, 'run_a')).toBe("export A='1'\n#end run_a");
  });

  it('is refused for what a shell could not set', () => {
    expect(problemOfEnvironment({ GOOD_1: 'x', _: '' })).toBeNull();
    for (const name of ['', '1A', 'A-B', 'A=B', 'A B', 'Ä'])
      expect(problemOfEnvironment({ [name]: 'x' })).toContain('no name');
    expect(problemOfEnvironment({ A: 'x\0y' })).toContain('NUL');
  });
});

it('programs are looked up as the run would, with a slash from its working directory', () => {
  expect(findProgram('sh', '/nowhere:/bin', '/')).toEqual({ path: '/bin/sh' });
  expect(findProgram('./sh', '/nowhere', '/bin')).toEqual({ path: '/bin/sh' });
  expect(findProgram('bin/sh', '/nowhere', '/')).toEqual({ path: '/bin/sh' });
  expect(findProgram('sh', '', '/bin')).toEqual({ path: '/bin/sh' });
  expect(findProgram('passwd', '/etc', '/')).toEqual({ problem: 'program "passwd" is not executable' });
  expect(findProgram('nope', '/bin', '/')).toEqual({ problem: `program "nope" is in no directory of the run's PATH` });
});

it('ids of runs are names of files that no tool mistakes for anything else', () => {
  for (const id of ['run_01j', 'A', '0', 'a.b-c_d']) expect(isFileName(id)).toBe(true);
  for (const id of ['', '.', '..', '.a', '-a', 'a/b', 'a b', 'a\n', 'ä', 'a\0', 'a'.repeat(129)])
    expect(isFileName(id)).toBe(false);
});

it('three parts of a log stay near the limit, however small or large it is', () => {
  for (const limit of [3072, 100_000, 10 * 1024 * 1024, 1024 ** 3]) {
    const { segment, block, reads } = shapeLog(limit);
    expect(3 * (segment + block * reads)).toBeLessThanOrEqual(limit * 1.5);
    expect(Math.min(block, reads)).toBeGreaterThanOrEqual(1);
  }
});
