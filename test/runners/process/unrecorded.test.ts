/** A run whose first process can't be recorded, as on a disk that is full for a moment: its program does not begin. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import type { JobControl } from '../../../src/engine/ports/runner.ts';
import { LEVELS, makeOptions, open, orderOf, type RunnerOptions, removeRunner } from '../../support/process-runner.ts';
import { eventually } from '../../support/processes.ts';

let options: RunnerOptions;
let control: JobControl;
afterEach(async () => {
  await control.close();
  removeRunner(options);
});

/** `meanwhile`: what happens in the moment in which the record is refused. */
async function startRefused(meanwhile: string): Promise<void> {
  const { root, processEnv } = options;
  const tools = join(root, 'tools');
  mkdirSync(tools);
  const ln = `#!/bin/sh\nPATH=\${PATH#*:}\ncase $2 in */work) ${meanwhile}; exit 1 ;; esac\nexec ln "$@"\n`;
  writeFileSync(join(tools, 'ln'), ln, { mode: 0o755 });
  control = await open({ ...options, processEnv: { ...processEnv, PATH: `${tools}:${processEnv.PATH}` } });
  expect(await control.start(orderOf('run_a', ['echo', 'began']))).toMatchObject({ result: 'started' });
}

const probe = async () => (await control.inspect(['run_a'])).get('run_a');

it.each(LEVELS)('at the level %s no exit is told of it, though there is room again', async (level) => {
  options = makeOptions(level);
  await startRefused(':');
  await eventually(async () => expect((await probe())?.state).not.toBe('running'));
  expect(await probe()).toMatchObject({ state: 'vanished', survivors: [] });
  expect(await control.log('run_a', 1_000)).not.toContain('began');
});

it.each(LEVELS)('at the level %s it was ended where a cancel was first', async (level) => {
  options = makeOptions(level);
  await startRefused(`printf 'by nobody\\nend\\n' >"$2"`);
  await eventually(async () =>
    expect(await probe()).toMatchObject({ state: 'exited', signal: 'TERM', exitCode: null }),
  );
  expect(await control.log('run_a', 1_000)).not.toContain('began');
});
