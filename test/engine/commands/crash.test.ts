/** A comment with several commands under an app that dies before or after each of its commits: the end is that of one that lives. */
import { afterAll, expect, it } from 'vitest';
import type { Store } from '../../../src/engine/ports.ts';
import { processDeliveries } from '../../../src/engine/process-deliveries.ts';
import { T0 } from '../../support/builders.ts';
import {
  ISSUE,
  makeStage,
  outcomesOf,
  REPOSITORY,
  type Stage,
  type StageOptions,
} from '../../support/comment-stage.ts';
import { emptySqliteDatabase, openTestStore, type TestStore } from '../../support/databases.ts';

const FILE = 'tasks: { train: { runs_on: local, run: ["true"] } }';
const BODY = '/task cancel a\n/task retry\n/task run train\n/task block a why?\n/task hold\n/batch status';

class Died extends Error {}

/** One for all lives, emptied before each: to open it, and to ask each question of it for the first time, takes longer than a life. */
let sqlite: TestStore | undefined;
let clock: () => Date;
afterAll(() => sqlite?.close());

async function onSqlite(now: () => Date): Promise<Store> {
  clock = now;
  sqlite ??= await openTestStore({ now: () => clock() });
  emptySqliteDatabase(sqlite.databaseUrl);
  return sqlite.store;
}

async function prepared(options: StageOptions): Promise<Stage> {
  const stage = await makeStage(options);
  stage.files.push(FILE);
  await stage.put({ id: 'task_a' }, {});
  await stage.put({ id: 'task_b', state: 'failed', finishedAt: T0 });
  await stage.put({ id: 'task_c', state: 'cancelled', finishedAt: T0 });
  return stage;
}

/** Dies at that step: before a commit where it is odd, after it where it is even. */
function dieAt(stage: Stage, step: number): { reached(): boolean } {
  const { store } = stage.deps;
  const { commit } = store;
  let steps = 0;
  const live = () => {
    steps += 1;
    // What is dead does nothing any more.
    if (steps >= step) throw new Died();
  };
  const mortal: Store = {
    ...store,
    async commit(writes) {
      live();
      const done = await commit(writes);
      live();
      return done;
    },
  };
  stage.deps.store = mortal;
  return {
    reached() {
      stage.deps.store = store;
      return steps >= step;
    },
  };
}

/** All that the comment has come to, but for the ids of what was made meanwhile. */
async function endOf(stage: Stage) {
  const comment = await stage.store.comment('5');
  const tasks = await stage.store.tasksOfIssue({ repositoryId: REPOSITORY.id, number: ISSUE });
  const types = (await stage.store.queries.events(null, 1_000)).map(({ type }) => type);
  return {
    state: comment?.state,
    results: outcomesOf(comment).map((outcome) => outcome?.result),
    accepted: comment?.commands.map((command) =>
      command.tasks?.map(({ key, accepted, conflict }) => ({ key, accepted, conflict })),
    ),
    tasks: tasks.map(({ key, state, generation, target, hold, version }) => ({
      key,
      state,
      generation,
      target,
      hold,
      version,
    })),
    owed: Object.keys(await stage.owed()).toSorted(),
    events: types.toSorted(),
  };
}

async function lifeOf(
  step: number,
  options: StageOptions,
): Promise<{ end: Awaited<ReturnType<typeof endOf>>; died: boolean }> {
  const stage = await prepared(options);
  const comment = stage.write(BODY, { id: '5' });
  const death = dieAt(stage, step);
  try {
    await stage.tell(comment);
    await stage.work();
  } catch (error) {
    if (!(error instanceof Died)) throw error;
  }
  const died = death.reached();
  await stage.store.queue.reclaim();
  // What was accepted is in the inbox.
  await processDeliveries(stage.deps);
  await stage.work();
  return { end: await endOf(stage), died };
}

it.each([
  ['memory', {}],
  ['SQLite', { store: onSqlite }],
] as const)(
  'whatever commit it dies at in %s, each command has acted once and nothing is left over',
  async (_name, options) => {
    const whole = await lifeOf(Number.POSITIVE_INFINITY, options);
    expect(whole.end.state).toBe('handled');
    expect(whole.end.results).toEqual(['acted', 'acted', 'started', 'acted', 'acted', 'refused']);
    let step = 1;
    for (; step < 200; step++) {
      const { end, died } = await lifeOf(step, options);
      if (!died) break;
      expect({ step, ...end }).toEqual({ step, ...whole.end });
    }
    expect(step).toBeGreaterThan(20);
    expect(step).toBeLessThan(200);
  },
  180_000,
);
