/** From the work's end to the life of its verify run, `kill -9` of the app at every step: nothing is lost, nothing runs twice. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { useCrashWalk } from '../support/crash-walk.ts';

const walk = useCrashWalk();

/** It gives up after a minute or so, whatever becomes of the test. */
function onceThere(file: string, command: string): string[] {
  return ['sh', '-c', `i=0; until [ -e ${file} ] || [ $i = 3000 ]; do i=$((i + 1)); sleep 0.02; done; ${command}`];
}

it('kill -9 at each step between work and its verify run runs each of them once', { timeout: 900_000 }, async () => {
  const deaths = await walk.walk(async (step) => {
    const fileOf = (name: string) => join(walk.dir(), `${name}-${step}`);
    const [go, judge, said] = [fileOf('go'), fileOf('judge'), fileOf('said')];
    const subject = await walk.submitCase(() => ({
      tasks: {
        work: {
          run: onceThere(go, `echo work >> ${said}`),
          verify: { run: onceThere(judge, `echo $STANDDOWN_PURPOSE $STANDDOWN_RUN_NUMBER >> ${said}`) },
        },
      },
    }));
    await walk.untilRunning(subject, 1);
    await walk.untilQuiet();
    const verifies = async () => (await walk.taskOf(subject)).runs[1]?.state === 'running';
    const died = await walk.dieDuring(step, async () => writeFileSync(go, ''), verifies);
    writeFileSync(judge, '');
    const ended = [
      { number: 1, purpose: 'work', state: 'succeeded' },
      { number: 2, purpose: 'verify', state: 'succeeded' },
    ];
    await walk.untilTask(subject, { state: 'done', cause: 'run_succeeded', attempt: 1, runs: ended });
    expect(readFileSync(said, 'utf8')).toBe('work\nverify 2\n');
    expect(await walk.countOf(subject, 'TASK_DONE')).toBe(1);
    return died;
  });
  expect(deaths).toBeGreaterThan(5);
});
