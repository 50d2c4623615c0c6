/** A machine that is short of file descriptors for a moment hides processes from who looks for them: they are not gone. */
import { afterEach, expect, it, vi } from 'vitest';
import type { JobControl } from '../../../src/engine/ports/runner.ts';
import { LEVELS, makeOptions, open, orderOf, type RunnerOptions, removeRunner } from '../../support/process-runner.ts';
import { eventually } from '../../support/processes.ts';

const short = vi.hoisted(() => ({ of: null as RegExp | null }));
vi.mock('node:fs', async (original) => {
  const real = await original<typeof import('node:fs')>();
  const readFileSync = (path: string, ...options: never[]) => {
    if (short.of?.test(path)) throw Object.assign(new Error('too many open files'), { code: 'EMFILE' });
    return real.readFileSync(path, ...options);
  };
  return { ...real, readFileSync };
});

let options: RunnerOptions;
let control: JobControl;
afterEach(async () => {
  short.of = null;
  await control.cancel('run_a', 'kill');
  await eventually(async () => expect(await probe()).toMatchObject({ state: 'exited' }));
  await control.close();
  removeRunner(options);
});

const probe = async () => (await control.inspect(['run_a'])).get('run_a');

it.each(LEVELS)('at the level %s what can not be looked at now is neither gone nor unknown', async (level) => {
  options = makeOptions(level);
  control = await open(options);
  await control.start(orderOf('run_a', ['sh', '-c', 'echo up; exec sleep 60']));
  await eventually(async () => expect(await control.log('run_a', 100)).toBe('up\n'));
  short.of = /^\/(proc\/\d+|sys)\//;
  expect(await probe()).toMatchObject({ state: 'unreadable', problem: 'too many open files' });
  await expect(control.cancel('run_a', 'term')).rejects.toThrow('too many open files');
  short.of = null;
  expect(await probe()).toMatchObject({ state: 'running' });
});
