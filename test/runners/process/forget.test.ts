/** Forgetting a run takes its directory away: whole, and no other, wherever it is cut short and whatever the run made of it. */
import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JobControl } from '../../../src/engine/ports/runner.ts';
import { makeOptions, open, orderOf, type RunnerOptions, removeRunner } from '../../support/process-runner.ts';
import { deadline, endByWord, eventually, findByWord, makeMarker, NASTY } from '../../support/processes.ts';

let options: RunnerOptions;
let control: JobControl;
let marker: string;

beforeEach(async () => {
  options = makeOptions('scan');
  control = await open(options);
  marker = makeMarker();
});
afterEach(async () => {
  endByWord(marker);
  await control.close();
  removeRunner(options);
});

const runs = () => join(options.dataDir, 'runs');
const stateOf = async (runId: string) => (await control.inspect([runId])).get(runId)?.state;

async function ended(runId: string): Promise<void> {
  await control.start(orderOf(runId, ['true']));
  await eventually(async () => expect(await stateOf(runId)).toBe('exited'));
}

describe('a run that is forgotten', () => {
  it('leaves nothing on disk', async () => {
    await ended('run_a');
    await ended('run_b');
    expect(await control.forget?.('run_a')).toBe(true);
    expect(readdirSync(runs())).toEqual(['run_b']);
  });

  it('is not known any more where its removal was cut short, and the rest goes at the next start', async () => {
    await ended('run_a');
    await control.close();
    // As it is left by a process that is killed in the middle.
    const half = join(runs(), '.forgotten-run_b');
    mkdirSync(half);
    writeFileSync(join(half, 'claim'), 'by supervisor\n');
    expect(await control.list()).toEqual(['run_a']);
    expect(await stateOf('run_b')).toBe('no_record');
    control = await open(options);
    expect(readdirSync(runs())).toEqual(['run_a']);
  });

  it('goes also where a leftover has the name under which it is removed', async () => {
    await ended('run_a');
    mkdirSync(join(runs(), '.forgotten-run_a', 'full'), { recursive: true });
    expect(await control.forget?.('run_a')).toBe(true);
    expect(readdirSync(runs())).toEqual([]);
  });

  it('takes nothing along to which it has put links', async () => {
    const outside = join(dirname(options.dataDir), 'outside');
    mkdirSync(outside);
    writeFileSync(join(outside, 'precious'), '');
    await ended('run_a');
    symlinkSync(outside, join(runs(), 'run_a', 'link'));
    expect(await control.forget?.('run_a')).toBe(true);
    expect(existsSync(join(outside, 'precious'))).toBe(true);
  });
});

describe('a run is kept', () => {
  it('that has lost its records while it lives', async () => {
    await control.start(orderOf('run_a', [NASTY, 'plain', marker, deadline()]));
    await eventually(async () => expect(await control.log('run_a', 100)).toContain('ready'));
    rmSync(join(runs(), 'run_a', 'claim'));
    expect(await control.forget?.('run_a')).toBe(false);
    expect(existsSync(join(runs(), 'run_a'))).toBe(true);
    expect(findByWord(marker).length).toBeGreaterThan(0);
    await control.cancel('run_a', 'kill');
  });

  it('whose records can not be read', async () => {
    mkdirSync(join(runs(), 'run_a'));
    writeFileSync(join(runs(), 'run_a', 'claim'), 'nonsense\n');
    expect(await control.forget?.('run_a')).toBe(false);
    expect(existsSync(join(runs(), 'run_a'))).toBe(true);
  });
});

it('what was claimed by nobody yet can not be started after it was forgotten halfway', async () => {
  mkdirSync(join(runs(), 'run_a'));
  expect(await stateOf('run_a')).toBe('unclaimed');
  expect(await control.forget?.('run_a')).toBe(true);
  expect(readdirSync(runs())).toEqual([]);
});
