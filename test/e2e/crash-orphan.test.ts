/** A run that was given up and lives all the same is ended, also where the app gets `kill -9` between TERM and KILL. */
import Database from 'better-sqlite3';
import { afterEach, expect, it } from 'vitest';
import { useCrashWalk } from '../support/crash-walk.ts';
import { pidsOf } from '../support/marked.ts';
import { endByWord } from '../support/processes.ts';

const WAIT = { timeout: 40_000, interval: 50 };
const walk = useCrashWalk();
let marker = '';
afterEach(() => endByWord(marker));

/** While no app runs: as it is left by one that has seen its runner know nothing of the run for long. */
function giveUp(taskId: string): void {
  const db = new Database(walk.databaseUrl().slice('file:'.length));
  try {
    db.prepare("UPDATE runs SET state = 'lost', cause = 'runner_lost', gone_at = started_at WHERE task_id = ?").run(
      taskId,
    );
    db.prepare(
      "UPDATE tasks SET state = 'failed', cause = 'runner_lost', finished_at = created_at, version = version + 1 WHERE id = ?",
    ).run(taskId);
  } finally {
    db.close();
  }
}

it('kill -9 between TERM and KILL of a run that nobody wants any more keeps nothing of it alive', async () => {
  const it = await walk.submitCase(({ issue, marker: word }) => ({
    tasks: {
      work: { issue, run: ['sh', '-c', 'trap "" TERM; while :; do sleep 1; done', word], grace_seconds: 3 },
    },
  }));
  marker = it.marker;
  await walk.untilRunning(it, 1);
  await expect.poll(() => pidsOf(marker).length, WAIT).toBeGreaterThan(0);
  await walk.kill();
  giveUp(it.taskId);
  await walk.start();
  await walk.untilTask(it, { runs: [{ state: 'lost', term_at: expect.any(String), kill_at: null }] });
  await walk.kill();
  expect(pidsOf(marker)).not.toEqual([]);

  await walk.start();
  await expect.poll(() => pidsOf(marker), WAIT).toEqual([]);
  await expect.poll(() => walk.countOf(it, 'RUN_ORPHAN_ENDED'), WAIT).toBe(1);
  expect(await walk.countOf(it, 'RUN_ORPHAN_FOUND')).toBe(1);
  expect(await walk.taskOf(it)).toMatchObject({
    ...{ state: 'failed', cause: 'runner_lost' },
    runs: [{ number: 1, state: 'lost', kill_at: expect.any(String) }],
  });
});
