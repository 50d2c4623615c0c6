/** An end by TERM is told as what it was, also where the signal and the death reach the first process of a namespace together. */
import { afterEach, expect, it } from 'vitest';
import type { JobControl } from '../../../src/engine/ports.ts';
import { makeOptions, open, orderOf, type RunnerOptions, removeRunner } from '../../support/process-runner.ts';
import { eventually } from '../../support/processes.ts';

const ROUNDS = 12;
const AT_ONCE = 8;
/** Stopped, it dies at the very moment in which the namespace's first process hands TERM on. */
const STOPPED = ['sh', '-c', 'echo ready; kill -STOP $$; sleep 20'];

let options: RunnerOptions;
let runner: JobControl;

afterEach(async () => {
  for (const id of await runner.list()) await runner.cancel(id, 'kill');
  await runner.close();
  removeRunner(options);
});

/** The same with a handler, which ends it by an exit. */
const HANDLES = ['sh', '-c', 'trap "exit 3" TERM; echo ready; kill -STOP $$'];

async function endByTerm(id: string, program: readonly string[]): Promise<unknown> {
  await runner.start(orderOf(id, program, { taskId: id }));
  await eventually(async () => expect(await runner.log(id, 100)).toContain('ready'));
  await runner.cancel(id, 'term');
  await eventually(async () => expect((await runner.inspect([id])).get(id)?.state).toBe('exited'));
  return (await runner.inspect([id])).get(id);
}

it.each([
  ['by that signal and none with an exit code', STOPPED, { signal: 'TERM', exitCode: null, survivors: [] }],
  ['with the exit code of its own handler', HANDLES, { signal: null, exitCode: 3, survivors: [] }],
])('many at once, each %s', async (_, program, told) => {
  options = makeOptions('pidns');
  runner = await open(options);
  for (let round = 0; round < ROUNDS; round++) {
    const ids = Array.from({ length: AT_ONCE }, (_, index) => `run_${round}_${index}`);
    for (const end of await Promise.all(ids.map((id) => endByTerm(id, program)))) expect(end).toMatchObject(told);
  }
});
