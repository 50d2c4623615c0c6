/** The app may be killed at any moment: nothing is lost, nothing runs twice, and who comes back goes on where it was. */
import { execFileSync } from 'node:child_process';
import { existsSync, linkSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Probe } from '../../../src/core/run.ts';
import type { JobControl } from '../../../src/engine/ports/runner.ts';
import { readStat } from '../../../src/runners/process/proc.ts';
import {
  LEVELS,
  type Level,
  makeOptions,
  open,
  orderOf,
  type RunnerOptions,
  removeRunner,
} from '../../support/process-runner.ts';
import {
  deadline,
  endByWord,
  eventually,
  expectGone,
  findByWord,
  makeMarker,
  NASTY,
  removeDirectory,
  waitUntilGone,
} from '../../support/processes.ts';
import { bundleHost, openHost } from '../../support/runner-host.ts';

let dir: string;
let marker: string;
let options: RunnerOptions;
let control: JobControl;

beforeAll(async () => {
  dir = await bundleHost();
});
afterAll(() => removeDirectory(dir));

async function begin(level: Level): Promise<void> {
  marker = makeMarker();
  options = makeOptions(level);
  control = await open(options);
}

async function finish(): Promise<void> {
  endByWord(marker);
  await control.close();
  removeRunner(options);
}

async function probe(runId: string): Promise<Probe | undefined> {
  return (await control.inspect([runId])).get(runId);
}

function until(runId: string, state: Probe['state']): Promise<void> {
  return eventually(async () => expect(await probe(runId)).toMatchObject({ state }));
}

function recordOf(runId: string, name: string): Map<string, string> {
  const text = readFileSync(join(options.dataDir, 'runs', runId, name), 'utf8');
  return new Map(text.split('\n').map((line) => line.split(' ') as [string, string]));
}

function pidIn(runId: string, name: string): number {
  return Number(recordOf(runId, name).get('pid'));
}

describe.each(LEVELS)('at the level %s', (level) => {
  beforeEach(() => begin(level));
  afterEach(finish);

  it('a run of an app that was killed is adopted, with its exit code', async () => {
    const host = await openHost({ dir, runner: options });
    const go = join(options.root, 'go');
    const script = `echo up; until [ -e ${go} ]; do sleep 0.02; done; exit 9`;
    await host.control.start(orderOf('run_a', ['sh', '-c', script, marker]));
    await host.kill();
    expect(await probe('run_a')).toMatchObject({ state: 'running', containment: level });
    expect(await control.list()).toEqual(['run_a']);
    writeFileSync(go, '');
    await until('run_a', 'exited');
    expect(await probe('run_a')).toMatchObject({ exitCode: 9, survivors: [] });
    expect(await control.log('run_a', 100)).toBe('up\n');
  });

  it('a run of an app that was killed can be cancelled, at the level that it was started with', async () => {
    const host = await openHost({ dir, runner: options });
    await host.control.start(orderOf('run_a', [NASTY, 'tree', marker, deadline(15)]));
    await eventually(async () => expect(await control.log('run_a', 1000)).toMatch(/(ready \w+\s+){8}/));
    await host.kill();
    const other = await open({ ...options, level: level === 'scan' ? 'pidns' : 'scan' });
    expect(await other.cancel('run_a', 'kill')).toBe('accepted');
    await until('run_a', 'exited');
    expect(await probe('run_a')).toMatchObject({ signal: 'KILL', containment: level });
    await other.close();
    // Best effort: it may miss some.
    if (level === 'scan') return;
    await waitUntilGone(marker);
    expectGone(marker);
  });

  it('a run that ended while no app was there kept its exit code', async () => {
    const host = await openHost({ dir, runner: options });
    await host.control.start(orderOf('run_a', ['sh', '-c', 'sleep 0.1; exit 4', marker]));
    await host.kill();
    await waitUntilGone(marker);
    expect(await probe('run_a')).toMatchObject({ state: 'exited', exitCode: 4 });
  });

  it('an adopted run’s end is told by a hint', async () => {
    const host = await openHost({ dir, runner: options });
    const go = join(options.root, 'go');
    await host.control.start(orderOf('run_a', ['sh', '-c', `until [ -e ${go} ]; do sleep 0.02; done`, marker]));
    await host.kill();
    const adopter = await open(options);
    const heard: string[] = [];
    adopter.onHint((runId) => heard.push(runId));
    writeFileSync(go, '');
    await eventually(() => expect(heard).toEqual(['run_a']));
    expect((await adopter.inspect(['run_a'])).get('run_a')).toMatchObject({ state: 'exited' });
    await adopter.close();
  });

  it('killed at any moment of a start, and told to start again: at most one process', async () => {
    for (let round = 0; round < 6; round += 1) {
      const runId = `run_${round}`;
      const order = orderOf(runId, [NASTY, 'plain', marker, deadline()]);
      const host = await openHost({ dir, runner: options });
      const answered = host.control.start(order).catch(() => null);
      // Each round dies at another moment: before, while and after the supervisor claims.
      await Promise.race([answered, new Promise((resolve) => setTimeout(resolve, round * 2))]);
      await host.kill();
      expect(await control.start(order)).toEqual({ result: 'started' });
      await eventually(async () => expect(await control.log(runId, 1000)).toBe('ready plain\n'));
      await control.cancel(runId, 'kill');
      await until(runId, 'exited');
      await waitUntilGone(marker);
      expect(await control.log(runId, 1000)).toBe('ready plain\n');
    }
  });

  it('a supervisor that was killed alone: running while the work lives, then vanished', async () => {
    await control.start(orderOf('run_a', [NASTY, 'plain', marker, deadline()]));
    await eventually(async () => expect(await control.log('run_a', 1000)).toContain('ready'));
    process.kill(pidIn('run_a', 'claim'), 'SIGKILL');
    await eventually(() => expect(readStat(pidIn('run_a', 'claim'))).toBeNull());
    expect(await probe('run_a')).toMatchObject({ state: 'running' });
    expect(await control.cancel('run_a', 'kill')).toBe('accepted');
    await waitUntilGone(marker);
    expect(await probe('run_a')).toMatchObject({ state: 'vanished', survivors: [] });
    expect(await control.cancel('run_a', 'kill')).toBe('already_ended');
    expect(await control.start(orderOf('run_a', [NASTY, 'plain', marker, deadline()]))).toEqual({ result: 'started' });
    expectGone(marker, 3);
  });

  it('a supervisor that was killed alone, and a program that ends: no exit code is invented', async () => {
    const go = join(options.root, 'go');
    const script = `echo up; until [ -e ${go} ]; do sleep 0.02; done; exit 9`;
    await control.start(orderOf('run_a', ['sh', '-c', script, marker]));
    await eventually(async () => expect(await control.log('run_a', 1000)).toContain('up'));
    process.kill(pidIn('run_a', 'claim'), 'SIGKILL');
    writeFileSync(go, '');
    await waitUntilGone(marker);
    // The first process of a namespace records the exit itself; nobody else is left who could know it.
    const seen = level === 'pidns' ? { state: 'exited', exitCode: 9, survivors: [] } : { state: 'vanished' };
    expect(await probe('run_a')).toMatchObject(seen);
  });

  it('a supervisor that somebody stopped does not keep a killed run from its end', async () => {
    await control.start(orderOf('run_a', [NASTY, 'plain', marker, deadline()]));
    await eventually(async () => expect(await control.log('run_a', 1000)).toContain('ready'));
    process.kill(pidIn('run_a', 'claim'), 'SIGSTOP');
    expect(await control.cancel('run_a', 'kill')).toBe('accepted');
    await until('run_a', 'exited');
    expect(await probe('run_a')).toMatchObject({ signal: 'KILL', survivors: [] });
  });

  it('no process and no zombie stays behind', async () => {
    for (const runId of ['run_a', 'run_b', 'run_c']) await control.start(orderOf(runId, ['true', marker]));
    for (const runId of ['run_a', 'run_b', 'run_c']) await until(runId, 'exited');
    await waitUntilGone(marker);
    await eventually(() => {
      const children = execFileSync('ps', ['-o', 'pid=,stat=,args=', '--ppid', String(process.pid)]).toString();
      expect(children.split('\n').filter((line) => /defunct|standdown/.test(line))).toEqual([]);
    });
  });
});

describe('who comes first', () => {
  beforeEach(() => begin('scan'));
  afterEach(finish);

  it('a supervisor that is late finds the start voided, and starts nothing', async () => {
    // A supervisor is held up in its first external program; meanwhile the app dies, comes back, and voids.
    const held = heldUp('date');
    const host = await openHost({
      dir,
      runner: { ...options, processEnv: { ...options.processEnv, PATH: held.path } },
    });
    const starting = host.control.start(orderOf('run_a', [NASTY, 'plain', marker, deadline()])).catch(() => null);
    await eventually(() => expect(existsSync(held.reached)).toBe(true));
    await host.kill();
    await starting;
    expect(await probe('run_a')).toEqual({ state: 'unclaimed' });
    expect(await control.cancel('run_a', 'void')).toBe('accepted');
    writeFileSync(held.go, '');
    await waitUntilGone(marker);
    expect(await probe('run_a')).toEqual({ state: 'voided' });
    expect(await control.log('run_a', 100)).toBe('');
  });

  it('a supervisor that is late finds the run claimed by another, and starts nothing', async () => {
    const held = heldUp('date');
    const host = await openHost({
      dir,
      runner: { ...options, processEnv: { ...options.processEnv, PATH: held.path } },
    });
    const order = orderOf('run_a', ['sh', '-c', 'echo once', marker]);
    const starting = host.control.start(order);
    await eventually(() => expect(existsSync(held.reached)).toBe(true));
    expect(await control.start(order)).toEqual({ result: 'started' });
    writeFileSync(held.go, '');
    expect(await starting).toEqual({ result: 'started' });
    await until('run_a', 'exited');
    await waitUntilGone(marker);
    expect(await control.log('run_a', 100)).toBe('once\n');
    await host.kill();
  });

  it('a cancel between the claim and the first process takes its place', async () => {
    const runs = join(options.dataDir, 'runs');
    mkdirSync(join(runs, 'run_a'), { mode: 0o700 });
    const self = readStat(process.pid);
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    const claim = `by supervisor\nlevel scan\nat 1\ncgroup \npid ${process.pid}\nstart ${self?.start}\nboot ${boot}\nend\n`;
    writeFileSync(join(runs, 'run_a', 'claim'), claim);
    expect(await control.cancel('run_a', 'term')).toBe('accepted');
    writeFileSync(join(runs, 'run_a', 'mine'), 'by program\nend\n');
    expect(() => linkSync(join(runs, 'run_a', 'mine'), join(runs, 'run_a', 'work'))).toThrow('EEXIST');
  });

  it('a cancel reaches a first process that has recorded itself and is not yet the program', async () => {
    const held = heldUp('setsid', '*standdown-launch*');
    const holding = await open({ ...options, processEnv: { ...options.processEnv, PATH: held.path } });
    await holding.start(orderOf('run_a', [NASTY, 'plain', marker, deadline()]));
    await eventually(() => expect(existsSync(held.reached)).toBe(true));
    expect(await control.cancel('run_a', 'term')).toBe('accepted');
    await until('run_a', 'exited');
    writeFileSync(held.go, '');
    expect(await probe('run_a')).toMatchObject({ signal: 'TERM', survivors: [] });
    expect(await control.log('run_a', 100)).toBe('');
    await holding.close();
  });

  /**
   * A directory before the PATH with a tool that waits. `date` is the supervisor's last before the claim, `setsid` the
   * first process's own after its record.
   */
  function heldUp(tool: string, when = '*'): { path: string; reached: string; go: string } {
    const [bin, reached, go] = ['bin', 'reached', 'go'].map((name) => join(options.root, name)) as [
      string,
      string,
      string,
    ];
    mkdirSync(bin);
    const wait = `: >${reached}; until [ -e ${go} ]; do sleep 0.02; done`;
    const script = `#!/bin/sh\ncase $* in ${when}) ${wait} ;; esac\nPATH=\${PATH#*:} exec ${tool} "$@"\n`;
    writeFileSync(join(bin, tool), script, { mode: 0o755 });
    return { path: `${bin}:${options.processEnv.PATH}`, reached, go };
  }
});

it('finds the words of its fixtures only where they run', () => {
  expect(findByWord(makeMarker())).toEqual([]);
});
