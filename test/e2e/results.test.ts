/** What programs say of their own runs, with real processes: their exit code decides, and a lost run that was done is a person's to judge. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { endAtOnce } from '../support/processes.ts';
import { rest, submit, taskOf, untilRunning, untilTask, WAIT } from '../support/world.ts';
import { finisher, pidsOf } from './programs.ts';
import { outcomesOf } from './rules.ts';
import { batchName, type ClockedWorld, closeWorld, makeClockedWorld, newIssue, untilSettled } from './support.ts';

let world: ClockedWorld;

beforeAll(async () => {
  world = await makeClockedWorld();
  await world.start();
});
afterAll(() => closeWorld(world));

const says = (word: object | string, more = '') => [
  'sh',
  '-c',
  `printf %s "$1" >"$STANDDOWN_RESULT_FILE"; ${more}`,
  'sh',
  typeof word === 'string' ? word : JSON.stringify(word),
];

async function newestRun(id: string): Promise<Record<string, unknown>> {
  const { body } = await rest(world, 'GET', `/tasks/${id}`);
  return (body as { runs: Record<string, unknown>[] }).runs.at(-1) ?? {};
}

it('an exit code of 0 is done unless the program itself says otherwise', async () => {
  const tasks = {
    done: { run: says({ result: 'done' }) },
    failed: { run: says({ result: 'failed' }) },
    killed: { run: says({ result: 'done', reason: 'killed' }) },
    garbage: { run: says('529 overloaded, usage_limit') },
    broken: { run: says({ result: 'done' }, 'exit 3') },
  };
  const batch = await submit(world, tasks, batchName());
  await untilTask(world, batch, 'done', { state: 'done' });
  for (const key of ['failed', 'killed', 'broken']) {
    const { id } = await untilTask(world, batch, key, { state: 'failed', cause: 'run_failed' });
    expect(await newestRun(id)).toMatchObject({ failure_class: 'work', exit_code: key === 'broken' ? 3 : 0 });
  }
  const { id } = await untilTask(world, batch, 'garbage', { state: 'done' });
  expect(await newestRun(id)).toMatchObject({ reason: expect.stringContaining('must be a JSON object') });
});

it('a usage limit is waited for until it ends, and costs the work no attempt', async () => {
  const until = new Date(Date.now() + 3_600_000).toISOString();
  const limited = { run: says({ result: 'failed', reason: 'usage_limit', until }, 'exit 1'), retry: { attempts: 1 } };
  const batch = await submit(world, { limited }, batchName());
  const { id, notBefore } = await untilTask(world, batch, 'limited', { state: 'ready', runNumber: 1 });
  expect(notBefore?.toISOString()).toBe(until);
  expect(await newestRun(id)).toMatchObject({
    ...{ state: 'failed', failure_class: 'environment', exit_code: 1 },
    reason: 'a usage limit was reached, as it says itself',
  });
  const { body } = await rest(world, 'GET', `/tasks/${id}`);
  expect(body).toMatchObject({ waiting_on: expect.stringMatching(/usage limit .*next try in (59|60) min|1 h/) });
  expect((await rest(world, 'POST', `/tasks/${id}/cancel`, {})).status).toBe(202);
});

it('a run that had said it was done, and was then lost, asks a person, who counts it as done or runs it again', async () => {
  const lose = async (judge: string) => {
    const issue = newIssue(world);
    const { word, run } = finisher(0);
    const program = ['sh', '-c', `printf '{"result":"done"}' >"$STANDDOWN_RESULT_FILE"; exec "$@"`, 'sh', ...run];
    const batch = await submit(world, { train: { issue: issue.number, run: program } }, batchName());
    await untilRunning(world, batch, 'train');
    await expect.poll(() => pidsOf(word).length, WAIT).toBe(1);
    await endAtOnce(word);
    const { id } = await untilTask(world, batch, 'train', { state: 'blocked', cause: 'review' });
    expect(await newestRun(id)).toMatchObject({ state: 'lost', exit_code: null, failure_class: 'environment' });
    await untilSettled(world);
    expect(outcomesOf(world, issue.number)).toEqual([
      expect.stringMatching(
        /\*\*Needs a person\.\*\*[\s\S]*`its result file says that it is done`; the task is \*\*blocked/,
      ),
    ]);
    const { body } = await rest(world, 'GET', `/tasks/${id}`);
    expect(body).toMatchObject({ waiting_on: expect.stringContaining('its result file says that it is done') });
    expect((await rest(world, 'POST', `/tasks/${id}/${judge}`, {})).status).toBe(202);
    return batch;
  };
  await untilTask(world, await lose('done'), 'train', { state: 'done', cause: 'api' });
  const again = await lose('release');
  await untilRunning(world, again, 'train', 2);
  expect(await taskOf(world, again, 'train')).toMatchObject({ generation: 2 });
});
