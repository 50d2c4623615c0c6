/** A run can remove, garble and forge its own records, where it runs as the app's user. What lives is never said to be gone. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Probe } from '../../../src/core/run.ts';
import type { JobControl } from '../../../src/engine/ports/runner.ts';
import { LEVELS, makeOptions, open, orderOf, type RunnerOptions, removeRunner } from '../../support/process-runner.ts';
import { endByWord, eventually, expectGone, findByWord, makeMarker } from '../../support/processes.ts';

let options: RunnerOptions;
let control: JobControl;
let marker: string;

afterEach(async () => {
  endByWord(marker);
  await control.close();
  removeRunner(options);
});

async function probe(): Promise<Probe | undefined> {
  return (await control.inspect(['run_a'])).get('run_a');
}

const R = '"$STANDDOWN_RUN_RECORDS"';
const IDENTITY = 'pid 99999\\nstart 1\\nboot x\\nend\\n';
const TAMPERINGS: Record<string, string> = {
  'its directory is removed': `rm -rf ${R}`,
  'its directory is emptied': `rm -rf ${R}/*`,
  'its claim is removed': `rm ${R}/claim`,
  'its claim is garbled': `echo nonsense >${R}/claim`,
  'its claim names nobody': `printf 'by nobody\\nend\\n' >${R}/claim`,
  'its claim names another': `printf 'by supervisor\\nlevel scan\\nat 1\\n${IDENTITY}' >${R}/claim`,
  'its first process is forgotten': `rm ${R}/work`,
  'its first process is said to be nobody': `printf 'by nobody\\nend\\n' >${R}/work`,
  'its first process is said to be another': `printf 'by program\\n${IDENTITY}' >${R}/work`,
};
const KILLS_SUPERVISOR = `kill -9 "$(sed -n 's/^pid //p' ${R}/claim)"; `;

/** Becomes a program that is called `tampered` when that is done. */
function order(script: string) {
  const program = `${script}; exec perl -e 'sleep 1 while 1' tampered-"$1"`;
  return orderOf('run_a', ['sh', '-c', program, 'sh', marker]);
}

describe.each(LEVELS)('at the level %s', (level) => {
  beforeEach(async () => {
    options = makeOptions(level);
    control = await open(options);
    marker = makeMarker();
  });

  async function expectReached(script: string): Promise<void> {
    await control.start(order(script));
    await eventually(() => expect(findByWord(`tampered-${marker}`)).toHaveLength(1));
    const before = await probe();
    if (before?.state === 'vanished') expect(before.survivors.length).toBeGreaterThan(0);
    else expect(before).toMatchObject({ state: 'running' });
    expect(await control.cancel('run_a', 'kill')).toBe('accepted');
    await eventually(async () => expect((await probe())?.state).not.toBe('running'));
    expectGone(`tampered-${marker}`, 5);
  }

  it.each(Object.entries(TAMPERINGS))('a run lives until it is gone, although %s', async (_, script) => {
    await expectReached(script);
  });

  it('a run lives until it is gone, also without a supervisor and a directory', async () => {
    await expectReached(`${KILLS_SUPERVISOR}rm -rf ${R}`);
  });

  it('TERM reaches it once, as with records', async () => {
    const counts = `$n = 0; $SIG{TERM} = sub { $n++; print "term $n\\n" }; $| = 1; print "ready\\n"; sleep 1 while 1`;
    const out = join(options.dataDir, 'out');
    const script = `rm -rf ${R}; exec perl -e '${counts.replaceAll('\\n', '\n')}' tampered-"$1" >${out}`;
    await control.start(orderOf('run_a', ['sh', '-c', script, 'sh', marker]));
    await eventually(() => expect(readFileSync(out, 'utf8')).toBe('ready\n'));
    expect(await control.cancel('run_a', 'term')).toBe('accepted');
    await eventually(() => expect(readFileSync(out, 'utf8')).toContain('term 1\n'));
    expect(await control.cancel('run_a', 'kill')).toBe('accepted');
    await eventually(async () => expect((await probe())?.state).not.toBe('running'));
    expectGone(`tampered-${marker}`, 5);
    expect(readFileSync(out, 'utf8')).toBe('ready\nterm 1\n');
  });
});
