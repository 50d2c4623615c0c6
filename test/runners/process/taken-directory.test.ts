/** A task's directory is kept across its runs, and they may do with it what they like. */
import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { JobControl } from '../../../src/engine/ports/runner.ts';
import { makeOptions, open, orderOf, type RunnerOptions, removeRunner } from '../../support/process-runner.ts';

let options: RunnerOptions;
let control: JobControl;
beforeEach(async () => {
  options = makeOptions('scan');
  control = await open(options);
});
afterEach(async () => {
  await control.close();
  removeRunner(options);
});

it.each([
  ['a file', (path: string) => writeFileSync(path, '')],
  ['a link that leads nowhere', (path: string) => symlinkSync('/nowhere/at/all', path)],
  ['a link to itself', (path: string) => symlinkSync(path, path)],
  ['a link to another place', (path: string) => symlinkSync('/', path)],
])('a task whose directory an earlier run replaced by %s is refused, with the reason', async (_, replace) => {
  replace(join(options.dataDir, 'tasks', 'task_1'));
  expect(await control.start(orderOf('run_a', ['pwd']))).toMatchObject({
    result: 'refused',
    reason: expect.stringContaining('task_1'),
  });
});
