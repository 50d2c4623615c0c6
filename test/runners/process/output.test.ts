/** The log of a run: capped, never in the program's way, complete at the end; and no secret beside the run itself. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JobControl } from '../../../src/engine/ports/runner.ts';
import {
  LEVELS,
  makeOptions,
  open,
  orderOf,
  type RunnerOptions,
  removeRunner,
  SECRET,
} from '../../support/process-runner.ts';
import {
  deadline,
  endByWord,
  eventually,
  findByWord,
  makeMarker,
  NASTY,
  waitUntilGone,
} from '../../support/processes.ts';

const LIMIT = 300_000;
let options: RunnerOptions;
let control: JobControl;
let marker: string;

async function ended(runId: string): Promise<void> {
  await eventually(async () => expect((await control.inspect([runId])).get(runId)).toMatchObject({ state: 'exited' }));
}

/** Some files of a run that begins are there for a moment only. */
const GONE = { throwIfNoEntry: false } as const;

function bytesOnDisk(runId: string): number {
  const dir = join(options.dataDir, 'runs', runId);
  return readdirSync(dir).reduce((sum, name) => sum + (statSync(join(dir, name), GONE)?.size ?? 0), 0);
}

describe.each(LEVELS)('at the level %s', (level) => {
  beforeEach(async () => {
    marker = makeMarker();
    options = { ...makeOptions(level), logLimitBytes: LIMIT };
    control = await open(options);
  });
  afterEach(async () => {
    endByWord(marker);
    await control.close();
    removeRunner(options);
  });

  it('keeps the beginning and the end of an output that is too long, and says that there is a gap', async () => {
    const script = 'for my $n (1 .. 400_000) { print "line $n\\n" } exit 6';
    await control.start(orderOf('run_a', ['perl', '-e', script]));
    await ended('run_a');
    expect((await control.inspect(['run_a'])).get('run_a')).toMatchObject({ exitCode: 6 });
    const text = await control.log('run_a', 10_000_000);
    expect(text.startsWith('line 1\nline 2\n')).toBe(true);
    expect(text).toContain('a part of the output is left out here');
    expect(text.endsWith('line 399999\nline 400000\n')).toBe(true);
    expect(await control.log('run_a', 12)).toBe('line 400000\n');
    expect(bytesOnDisk('run_a')).toBeLessThan(LIMIT * 1.5 + 10_000);
    // What is kept of the end is whole: no line is missing where the copier changed files.
    const tail = text.slice(text.indexOf('left out here]\n') + 15).match(/^line (\d+)$/gm) ?? [];
    const numbers = tail.map((line) => Number(line.slice(5)));
    expect(numbers.slice(2)).toEqual(numbers.slice(2).map((_, i) => (numbers[2] ?? 0) + i));
  });

  it('an output below the limit is kept whole', async () => {
    const script = 'for my $n (1 .. 20_000) { print "line $n\\n" }';
    await control.start(orderOf('run_a', ['perl', '-e', script]));
    await ended('run_a');
    const lines = (await control.log('run_a', 10_000_000)).trimEnd().split('\n');
    expect(lines).toEqual(Array.from({ length: 20_000 }, (_, i) => `line ${i + 1}`));
  });

  it('cuts between characters', async () => {
    await control.start(orderOf('run_a', ['printf', 'ab🚀cd']));
    await ended('run_a');
    expect(await control.log('run_a', 5)).toBe('cd');
    expect(await control.log('run_a', 6)).toBe('🚀cd');
  });

  it('whoever keeps the output open after the end does not keep the run', async () => {
    await control.start(orderOf('run_a', ['sh', '-c', `${NASTY} envless ${marker} ${deadline()} & wait; exit 2`]));
    await ended('run_a');
    expect((await control.inspect(['run_a'])).get('run_a')).toMatchObject({ exitCode: 2 });
    const dir = join(options.dataDir, 'runs', 'run_a');
    await eventually(() => expect(findByWord(dir)).toEqual([]));
  });

  it('no process beside the run holds a secret of the app, and no command line a value', async () => {
    const env = { CHOSEN: 'chosen-value-of-the-order' };
    const order = orderOf('run_a', [NASTY, 'plain', marker, deadline()], { env, envFrom: ['PASSED_ON', 'APP_SECRET'] });
    await control.start(order);
    await eventually(async () => expect(await control.log('run_a', 100)).toContain('ready'));
    const pids = [...findByWord(marker), ...findByWord(join(options.dataDir, 'runs', 'run_a'))];
    expect(pids.length).toBeGreaterThan(2);
    for (const pid of pids) {
      const read = (name: string): string => readFileSync(`/proc/${pid}/${name}`, 'utf8');
      expect(read('environ')).not.toContain(SECRET);
      expect(read('cmdline')).not.toContain(SECRET);
      expect(read('cmdline')).not.toContain(env.CHOSEN);
      expect(read('cmdline')).not.toContain("it's passed");
      if (read('cmdline').includes('standdown-supervisor')) expect(read('environ')).toMatch(/^PATH=[^\0]*\0$/);
    }
    const dir = join(options.dataDir, 'runs', 'run_a');
    for (const name of readdirSync(dir)) expect(readFileSync(join(dir, name), 'utf8')).not.toContain(env.CHOSEN);
    await control.cancel('run_a', 'kill');
    await waitUntilGone(marker);
  });
});
