/** An agent on a file system that is really full: a small one of its own, which only the agent sees. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Probe } from '../../../src/core/run.ts';
import { type JobControl, RunnerUnreachable } from '../../../src/engine/ports/runner.ts';
import { openByAgent } from '../../support/agent.ts';
import { useAgentBundle, useAgentPlace } from '../../support/agent-place.ts';
import type { AgentProcess } from '../../support/agent-process.ts';
import { orderOf } from '../../support/process-runner.ts';
import { deadline, eventually, findByWord, NASTY } from '../../support/processes.ts';

const OWN_DISK = [
  'unshare',
  '--map-root-user',
  '--mount',
  'sh',
  '-c',
  'mount -t tmpfs -o size=512k disk "$0" && exec "$@"',
];

const place = useAgentPlace(useAgentBundle(), { prefix: (dataDir) => [...OWN_DISK, dataDir] });
let agent: AgentProcess;
let control: JobControl;

beforeEach(async () => {
  agent = await place.start();
  control = openByAgent(agent.url);
});
afterEach(() => control.close());

/** As the agent sees it. */
const onItsDisk = (name: string) => join(`/proc/${agent.pid}/root`, place.options.dataDir, name);

/** To the last byte, as a run could. */
function fill(): void {
  for (let bytes = 65_536, file = 0; bytes >= 1; file += 1) {
    try {
      writeFileSync(onItsDisk(`fill-${file}`), Buffer.alloc(bytes));
    } catch (error) {
      expect((error as NodeJS.ErrnoException).code).toBe('ENOSPC');
      bytes = Math.floor(bytes / 2);
    }
  }
}

async function probe(runId: string): Promise<Probe | undefined> {
  return (await control.inspect([runId])).get(runId);
}

it('takes no new run and no early cancel, is not silent for that, stops what runs, and goes on when there is room', async () => {
  const word = `${place.marker}-run_lives`;
  await control.start(orderOf('run_lives', [NASTY, 'ignores_term', word, deadline(60)]));
  await eventually(async () => expect(await control.log('run_lives', 1000)).toContain('ready'));
  fill();

  const order = orderOf('run_new', [NASTY, 'plain', `${place.marker}-run_new`, deadline()]);
  await expect(control.start(order)).rejects.toThrow(RunnerUnreachable);
  await expect(control.cancel('run_late', 'term')).rejects.toThrow(/state can't be written: ENOSPC/);
  expect(control.profile.silent).toBeNull();
  expect(await probe('run_lives')).toMatchObject({ state: 'running' });
  expect(findByWord(`${place.marker}-run_new`)).toEqual([]);

  expect(await control.cancel('run_lives', 'kill')).toBe('accepted');
  await eventually(() => expect(findByWord(word)).toEqual([]));
  // Its end could not be noted: that nothing of it lives is told all the same, and no exit code is invented.
  await eventually(async () => expect(await probe('run_lives')).toMatchObject({ state: 'vanished', survivors: [] }));

  rmSync(onItsDisk('fill-0'));
  expect(await control.cancel('run_late', 'term')).toBe('no_record');
  expect(await control.start(order)).toEqual({ result: 'started' });
  await eventually(async () => expect(await control.log('run_new', 1000)).toContain('ready'));
  await control.cancel('run_new', 'kill');
});
