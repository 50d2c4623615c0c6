/** The removal of a task's own directory: all of it, and nothing that links lead to. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { JobControl } from '../../../src/engine/ports/runner.ts';
import { readStat } from '../../../src/runners/process/proc.ts';
import { isRoot, makeOptions, open, orderOf, type RunnerOptions, removeRunner } from '../../support/process-runner.ts';
import { eventually } from '../../support/processes.ts';

let options: RunnerOptions;
let control: JobControl;
let tasks: string;
/** Outside of all that belongs to the runner. */
let outside: string;

beforeEach(async () => {
  options = makeOptions('scan');
  tasks = join(options.dataDir, 'tasks');
  outside = join(dirname(options.dataDir), 'outside');
  mkdirSync(join(outside, 'task_a'), { recursive: true });
  writeFileSync(join(outside, 'task_a', 'precious'), '');
  control = await open(options);
});
afterEach(async () => {
  await control.cancel('run_a', 'kill');
  await control.close();
  removeRunner(options);
});

const isPrecious = () => existsSync(join(outside, 'task_a', 'precious'));

async function ran(argv: readonly string[], taskId = 'task_a'): Promise<void> {
  const runId = `run_of_${taskId}`;
  await control.start(orderOf(runId, argv, { taskId }));
  await eventually(async () =>
    expect((await control.inspect([runId])).get(runId)).toMatchObject({ state: 'exited', exitCode: 0 }),
  );
}

it('follows no link in it', async () => {
  await ran(['ln', '-s', outside, 'way-out']);
  expect(await control.removeWorkspace?.('task_a')).toBe(true);
  await eventually(() => expect(readdirSync(tasks)).toEqual([]));
  expect(isPrecious()).toBe(true);
});

it('is refused where a link or a file is in its place', async () => {
  symlinkSync(join(outside, 'task_a'), join(tasks, 'task_a'));
  writeFileSync(join(tasks, 'task_b'), '');
  expect(await control.removeWorkspace?.('task_a')).toBe(false);
  expect(await control.removeWorkspace?.('task_b')).toBe(false);
  expect(isPrecious()).toBe(true);
  expect(readdirSync(tasks).sort()).toEqual(['task_a', 'task_b']);
});

it('is refused where a link stands above it, also at the next start', async () => {
  mkdirSync(join(outside, '.removed-task_b'));
  renameSync(tasks, `${tasks}-moved`);
  symlinkSync(outside, tasks);
  expect(await control.removeWorkspace?.('task_a')).toBe(false);
  await control.close();
  control = await open(options);
  expect(await control.removeWorkspace?.('task_a')).toBe(false);
  expect(isPrecious()).toBe(true);
  expect(readdirSync(outside).sort()).toEqual(['.removed-task_b', 'task_a']);
});

it('is of nothing that a working directory could name', async () => {
  await control.close();
  control = await open({ ...options, root: options.dataDir });
  await ran(['true']);
  const order = orderOf('run_b', ['true'], { taskId: 'task_b', workingDirectory: 'tasks/task_a' });
  expect(await control.start(order)).toEqual({
    result: 'refused',
    reason: 'working_directory "tasks/task_a" leads to the directories of tasks',
  });
});

it('is refused while a run of the task begins or lives', async () => {
  await ran(['true']);
  await ran(['true'], 'task_aa');
  const starting = control.start(orderOf('run_a', ['sleep', '60'], { taskId: 'task_a' }));
  expect(await control.removeWorkspace?.('task_a')).toBe(false);
  expect(await control.removeWorkspace?.('task_aa')).toBe(true);
  expect(await starting).toEqual({ result: 'started' });
  expect(await control.removeWorkspace?.('task_a')).toBe(false);
  await control.cancel('run_a', 'kill');
  await eventually(async () => expect(await control.removeWorkspace?.('task_a')).toBe(true));
});

it('is refused while something works in it whose supervisor is gone', async () => {
  const below = join(tasks, 'task_a', 'below');
  await control.start(orderOf('run_a', ['sh', '-c', 'mkdir below; cd below; exec sleep 60'], { taskId: 'task_a' }));
  const record = (name: string) => readFileSync(join(options.dataDir, 'runs', 'run_a', name), 'utf8');
  const pidIn = (name: string) => Number(/^pid (\d+)$/m.exec(record(name))?.[1]);
  await eventually(() => expect(readlinkSync(`/proc/${pidIn('work')}/cwd`)).toBe(below));
  process.kill(pidIn('claim'), 'SIGKILL');
  await eventually(() => expect(readStat(pidIn('claim'))).toBeNull());
  expect(await control.removeWorkspace?.('task_a')).toBe(false);
  await control.cancel('run_a', 'kill');
  await eventually(async () => expect(await control.removeWorkspace?.('task_a')).toBe(true));
});

it('lists nothing that can be no task’s', async () => {
  for (const name of ['task_a', '.removed-task_b', '.removed-a task', '.removed-', '.hidden'])
    mkdirSync(join(tasks, name));
  expect(await control.workspaces?.()).toEqual(['task_a', 'task_b']);
});

it('goes on at the next start where it was cut short', async () => {
  await control.close();
  mkdirSync(join(tasks, '.removed-task_a', 'deep'), { recursive: true });
  control = await open(options);
  await eventually(() => expect(readdirSync(tasks)).toEqual([]));
});

it('is asked for again as long as something is left, and leaves the next directory of the task alone meanwhile', async () => {
  const left = join(tasks, '.removed-task_a');
  mkdirSync(join(left, 'deep'), { recursive: true });
  await ran(['touch', 'newer']);
  expect(await control.workspaces?.()).toEqual(['task_a']);
  expect(await control.removeWorkspace?.('task_a')).toBe(false);
  await eventually(() => expect(existsSync(left)).toBe(false));
  expect(readdirSync(join(tasks, 'task_a'))).toEqual(['newer']);
  expect(await control.removeWorkspace?.('task_a')).toBe(true);
  await eventually(() => expect(readdirSync(tasks)).toEqual([]));
});

if (isRoot) {
  it('of runs under another account is that account’s, which reaches nothing that it could not remove itself', async () => {
    await control.close();
    options = { ...options, user: 'nobody' };
    control = await open(options);
    await ran(['sh', '-c', 'mkdir -p deep/er && touch deep/er/file']);
    await ran(['true'], 'task_b');
    const foreign = join(tasks, 'task_b', 'of-root');
    mkdirSync(foreign);
    chmodSync(foreign, 0o700);
    writeFileSync(join(foreign, 'file'), '');
    for (const taskId of ['task_a', 'task_b']) expect(await control.removeWorkspace?.(taskId)).toBe(true);
    await eventually(() => expect(readdirSync(tasks)).toEqual(['.removed-task_b']));
    expect(await control.workspaces?.()).toEqual(['task_b']);
    expect(existsSync(join(tasks, '.removed-task_b', 'of-root', 'file'))).toBe(true);

    rmSync(join(tasks, '.removed-task_b', 'of-root'), { recursive: true });
    await eventually(async () => {
      await control.removeWorkspace?.('task_b');
      expect(await control.workspaces?.()).toEqual([]);
    });
  });
}
