/** Batches: who may run beside whom, what follows what, what a batch's state is, and what is refused before it exists. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { REPOSITORY, rest, submit, taskOf, untilRunning, untilTask, WAIT } from '../support/world.ts';
import { finish, finisher, nasty, pidOf, pidsOf, sleeper, untilAlive, watch } from './programs.ts';
import { outcomesOf } from './rules.ts';
import {
  batchName,
  batchState,
  type ClockedWorld,
  closeWorld,
  makeClockedWorld,
  newIssue,
  startTask,
  untilSettled,
} from './support.ts';

let world: ClockedWorld;

const OPERATOR = `runners:
  local: { kind: process, repositories: ["acme/*"], grace_seconds: 2 }
  private: { kind: process, repositories: ["acme/secret"], grace_seconds: 2 }
`;

beforeAll(async () => {
  world = await makeClockedWorld({ operator: OPERATOR });
  await world.start();
});

afterAll(() => closeWorld(world));

const EXITS = (code: number) => ({ run: ['sh', '-c', `exit ${code}`] });

describe('two tasks on one issue', () => {
  it('are both stopped by its close, and told of in one comment with a line each', async () => {
    const issue = newIssue(world);
    const [a, b] = [sleeper(), sleeper()];
    const tasks = { fetch: { issue: issue.number, run: a.run }, train: { issue: issue.number, run: b.run } };
    const batch = await submit(world, tasks, batchName());
    await untilAlive(a.word);
    await untilAlive(b.word);
    world.clock.forward();
    issue.close({ by: 'ann' });
    await untilTask(world, batch, 'fetch', { state: 'done' });
    await untilTask(world, batch, 'train', { state: 'done' });
    await untilSettled(world);
    const [body, ...others] = outcomesOf(world, issue.number);
    expect(others).toEqual([]);
    expect(body?.match(/^- /gm)).toHaveLength(2);
    expect(body).toMatch(/- `fetch`: run 1 was stopped/);
    expect(body).toMatch(/- `train`: run 1 was stopped/);
    expect([...pidsOf(a.word), ...pidsOf(b.word)]).toEqual([]);

    world.clock.forward();
    issue.reopen({ by: 'ann' });
    await untilAlive(a.word);
    await untilAlive(b.word);
    await untilSettled(world);
    expect(outcomesOf(world, issue.number)).toHaveLength(2);
    expect(outcomesOf(world, issue.number)[1]?.match(/^- /gm)).toHaveLength(2);
  });

  it('of which one waits: it ends without ever having run', async () => {
    const issue = newIssue(world);
    const program = sleeper();
    const tasks = {
      fetch: { issue: issue.number, run: program.run },
      train: { issue: issue.number, needs: ['fetch'], run: ['true'] },
    };
    const batch = await submit(world, tasks, batchName());
    await untilAlive(program.word);
    world.clock.forward();
    issue.close({ by: 'ann', reason: 'not_planned' });
    await untilTask(world, batch, 'train', { state: 'cancelled', cause: 'issue_not_planned', runNumber: 0 });
    await untilTask(world, batch, 'fetch', { state: 'cancelled' });
    await untilSettled(world);
    expect(outcomesOf(world, issue.number)).toHaveLength(1);
    expect(outcomesOf(world, issue.number)[0]).toContain('`train` had no run to stop; the task is **cancelled**');
  });
});

describe('a limit', () => {
  it('is never passed, and slots are given on as they become free', async () => {
    const { word, run } = finisher(0);
    const alive = watch(word);
    const live = async () =>
      (await world.app().deps.store.liveRuns()).filter(({ batchId }) => batchId === batch.id).length;
    const tasks = Object.fromEntries(Array.from({ length: 5 }, (_, index) => [`t${index}`, { run }]));
    const batch = await submit(world, tasks, { ...batchName(), max_parallel: 2 });
    try {
      for (let left = 5; left > 0; left -= 1) {
        await untilAlive(word, Math.min(left, 2));
        await expect.poll(live, WAIT).toBe(Math.min(left, 2));
        const pid = await pidOf(word);
        await finish(pid);
        await expect.poll(() => pidsOf(word), WAIT).not.toContain(pid);
      }
      await expect.poll(() => batchState(world, batch.id), WAIT).toBe('completed');
      expect(alive.most()).toBe(2);
    } finally {
      alive.end();
    }
  });

  it('of a serial batch is one, in the order of the document', async () => {
    const program = sleeper();
    const tasks = { b: { run: program.run }, a: { run: ['true'] } };
    const batch = await submit(world, tasks, { ...batchName(), strategy: 'serial' });
    await untilRunning(world, batch, 'b');
    await untilSettled(world);
    expect(await taskOf(world, batch, 'a')).toMatchObject({ state: 'ready', runNumber: 0 });
    await rest(world, 'POST', `/tasks/${(await taskOf(world, batch, 'b')).id}/skip`);
    await untilTask(world, batch, 'a', { state: 'done' });
  });

  it('counts a run until it is seen gone', async () => {
    const issue = newIssue(world);
    const { word, run } = nasty('ignores_term');
    const stubborn = { issue: issue.number, run };
    const next = { run: nasty('plain', word).run };
    const batch = await submit(world, { stubborn, next }, { ...batchName(), max_parallel: 1 });
    await untilRunning(world, batch, 'stubborn');
    await untilAlive(word);
    const alive = watch(word);
    try {
      world.clock.forward();
      issue.close({ by: 'ann' });
      await untilRunning(world, batch, 'next');
      await untilAlive(word);
      expect(alive.most()).toBe(1);
      expect((await taskOf(world, batch, 'stubborn')).state).toBe('done');
    } finally {
      alive.end();
    }
  });
});

describe('needs', () => {
  it('let a dependent start once they are done, and skip it once they can not be had', async () => {
    const tasks = {
      fetch: EXITS(0),
      train: { needs: ['fetch'], ...EXITS(3) },
      report: { needs: ['train'], ...EXITS(0) },
      publish: { needs: ['report'], ...EXITS(0) },
    };
    const batch = await submit(world, tasks, batchName());
    await untilTask(world, batch, 'publish', { state: 'skipped', cause: 'dependency' });
    expect(await taskOf(world, batch, 'fetch')).toMatchObject({ state: 'done' });
    expect(await taskOf(world, batch, 'train')).toMatchObject({ state: 'failed', cause: 'run_failed' });
    expect(await taskOf(world, batch, 'report')).toMatchObject({ state: 'skipped', cause: 'dependency', runNumber: 0 });
    await expect.poll(() => batchState(world, batch.id), WAIT).toBe('partial');
  });

  it('that are had again bring the skipped ones back', async () => {
    const issue = newIssue(world);
    const program = sleeper();
    const tasks = { fetch: { issue: issue.number, run: program.run }, train: { needs: ['fetch'], ...EXITS(0) } };
    const batch = await submit(world, tasks, batchName());
    await untilAlive(program.word);
    world.clock.forward();
    issue.close({ by: 'ann', reason: 'not_planned' });
    await untilTask(world, batch, 'train', { state: 'skipped', cause: 'dependency' });
    await expect.poll(() => batchState(world, batch.id), WAIT).toBe('cancelled');
    world.clock.forward();
    issue.reopen({ by: 'ann' });
    await untilTask(world, batch, 'train', { state: 'waiting' });
    await untilAlive(program.word);
    expect(await batchState(world, batch.id)).toBe('running');
    world.clock.forward();
    issue.close({ by: 'ann', reason: 'completed' });
    await untilTask(world, batch, 'train', { state: 'done', cause: 'run_succeeded' });
    await expect.poll(() => batchState(world, batch.id), WAIT).toBe('completed');
  });
});

describe("a batch's state", () => {
  it.each([
    ['completed', { a: EXITS(0), b: EXITS(0) }],
    ['partial', { a: EXITS(0), b: EXITS(1) }],
    ['failed', { a: EXITS(1), b: { needs: ['a'], ...EXITS(0) } }],
  ])('is %s as its tasks end', async (state, tasks) => {
    const batch = await submit(world, tasks, batchName());
    await expect.poll(() => batchState(world, batch.id), WAIT).toBe(state);
    expect((await world.app().deps.store.batch(batch.id))?.finishedAt).not.toBeNull();
  });

  it('is cancelled once a person has cancelled it and all is gone', async () => {
    const program = sleeper();
    const tasks = { a: { run: program.run }, b: { needs: ['a'], ...EXITS(0) } };
    const batch = await submit(world, tasks, batchName());
    await untilAlive(program.word);
    expect((await rest(world, 'POST', `/batches/${batch.id}/cancel`, { now: true })).status).toBe(202);
    await expect.poll(() => batchState(world, batch.id), WAIT).toBe('cancelled');
    expect(pidsOf(program.word)).toEqual([]);
    expect(await taskOf(world, batch, 'a')).toMatchObject({ state: 'cancelled', cause: 'api', actor: 'api' });
    expect((await taskOf(world, batch, 'b')).runNumber).toBe(0);
  });

  it('is told by what finished where the cancel let that run, and nothing else started', async () => {
    const program = finisher(0);
    const tasks = { a: { run: program.run }, b: { run: ['true'] }, c: { needs: ['a'], run: ['true'] } };
    const batch = await submit(world, tasks, { ...batchName(), max_parallel: 1 });
    const pid = await pidOf(program.word);
    expect((await rest(world, 'POST', `/batches/${batch.id}/cancel`)).status).toBe(202);
    await untilTask(world, batch, 'b', { state: 'cancelled', cause: 'api', runNumber: 0 });
    await untilTask(world, batch, 'c', { state: 'cancelled', cause: 'api', runNumber: 0 });
    await untilSettled(world);
    expect(await batchState(world, batch.id)).toBe('running');
    await expect.poll(() => pidsOf(program.word), WAIT).toEqual([pid]);
    await finish(pid);
    await expect.poll(() => batchState(world, batch.id), WAIT).toBe('partial');
    expect(await taskOf(world, batch, 'a')).toMatchObject({ state: 'done', cause: 'run_succeeded' });
  });

  it('is running again after a reopen of what had finished', async () => {
    const issue = newIssue(world);
    const { batch, word } = await startTask(world, issue);
    issue.close({ by: 'ann' });
    await expect.poll(() => batchState(world, batch.id), WAIT).toBe('completed');
    world.clock.forward();
    issue.reopen({ by: 'ann' });
    await untilAlive(word);
    await expect.poll(() => batchState(world, batch.id), WAIT).toBe('running');
    expect((await world.app().deps.store.batch(batch.id))?.finishedAt).toBeNull();
  });

  it('with on_failure stop keeps what is ready from starting, and is told to be stuck', async () => {
    const batch = await submit(
      world,
      { a: EXITS(1), b: EXITS(0) },
      { ...batchName(), strategy: 'serial', on_failure: 'stop' },
    );
    await untilTask(world, batch, 'a', { state: 'failed' });
    await expect.poll(async () => (await world.app().deps.store.batch(batch.id))?.stuck, WAIT).toBe(true);
    await untilSettled(world);
    expect(await taskOf(world, batch, 'b')).toMatchObject({ state: 'ready', runNumber: 0 });
  });
});

describe('a batch in which nothing can go on', () => {
  it('gives its name to a newer one, and nothing of it starts any more', async () => {
    const name = batchName();
    const [held, newer] = [sleeper(), sleeper()];
    const tasks = { fetch: { run: finisher(0).run }, train: { needs: ['fetch'], run: held.run } };
    const old = await submit(world, tasks, name);
    const { id } = await taskOf(world, old, 'train');
    expect((await rest(world, 'POST', `/tasks/${id}/hold`)).status).toBe(202);
    await rest(world, 'POST', `/tasks/${(await taskOf(world, old, 'fetch')).id}/done`);
    await expect.poll(async () => (await world.app().deps.store.batch(old.id))?.stuck, WAIT).toBe(true);
    const batch = await submit(world, { train: { run: newer.run } }, name);
    await untilAlive(newer.word);
    await untilTask(world, old, 'train', { state: 'cancelled', cause: 'superseded', actor: 'api' });
    expect((await rest(world, 'POST', `/tasks/${id}/release`)).status).toBe(202);
    await untilSettled(world);
    expect(pidsOf(held.word)).toEqual([]);
    expect(await batchState(world, old.id)).toBe('partial');
    expect(await batchState(world, batch.id)).toBe('running');
  });
});

describe('a reopen', () => {
  it('requeues nothing of a batch that a newer one of that name has replaced', async () => {
    const issue = newIssue(world);
    const other = newIssue(world);
    const name = batchName();
    const program = sleeper();
    const old = await submit(world, { train: { issue: issue.number, run: program.run } }, name);
    await untilAlive(program.word);
    world.clock.forward();
    issue.close({ by: 'ann' });
    await untilTask(world, old, 'train', { state: 'done' });
    await expect.poll(() => batchState(world, old.id), WAIT).toBe('completed');
    const newer = await submit(world, { train: { issue: other.number, run: sleeper().run } }, name);
    await untilRunning(world, newer, 'train');
    world.clock.forward();
    issue.reopen({ by: 'ann' });
    await expect.poll(() => outcomesOf(world, issue.number).length, WAIT).toBe(2);
    await untilSettled(world);
    expect(await taskOf(world, old, 'train')).toMatchObject({ state: 'done', runNumber: 1 });
    expect(outcomesOf(world, issue.number)[1]).toContain('a newer batch of that name exists');
    expect(pidsOf(program.word)).toEqual([]);
    const { id } = await taskOf(world, old, 'train');
    const refused = await rest(world, 'POST', `/tasks/${id}/retry`);
    expect(refused).toMatchObject({ status: 409, body: { error: { code: 'conflict' } } });
    expect(refused.body).toMatchObject({
      error: { message: expect.stringContaining(newer.id), batch_id: newer.id },
    });
    await rest(world, 'POST', `/batches/${newer.id}/cancel`, { now: true });
    await expect.poll(() => batchState(world, newer.id), WAIT).toBe('cancelled');
    expect((await rest(world, 'POST', `/tasks/${id}/retry`)).status).toBe(202);
    await untilAlive(program.word);
    await expect.poll(() => batchState(world, old.id), WAIT).toBe('running');
  });
});

describe('a submission', () => {
  it('of a name that is live is refused, naming the batch that has it', async () => {
    const name = batchName();
    const batch = await submit(world, { a: { run: sleeper().run } }, name);
    const again = { repository: REPOSITORY, ...name, tasks: { a: { runs_on: 'local', run: ['true'] } } };
    const refused = await rest(world, 'POST', '/batches', again);
    expect(refused).toMatchObject({ status: 409, body: { error: { code: 'conflict' } } });
    expect(JSON.stringify(refused.body)).toContain(batch.id);
    // Twice at once under a new name: one of them is first.
    const twin = { ...again, ...batchName(), tasks: { a: { runs_on: 'local', run: sleeper().run } } };
    const answers = await Promise.all([rest(world, 'POST', '/batches', twin), rest(world, 'POST', '/batches', twin)]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409]);
  });

  it('of what can not run is refused with all its problems, and nothing is written', async () => {
    const open = newIssue(world);
    const closed = newIssue(world);
    closed.close({ by: 'ann' });
    const gone = newIssue(world);
    gone.delete({ by: 'ann' });
    const pull = newIssue(world, 'ann', { isPullRequest: true });
    const document = {
      repository: REPOSITORY,
      ...batchName(),
      tasks: {
        good: { issue: open.number, runs_on: 'local', run: ['true'] },
        closed: { issue: closed.number, runs_on: 'local', run: ['true'] },
        gone: { issue: gone.number, runs_on: 'local', run: ['true'] },
        pull: { issue: pull.number, runs_on: 'local', run: ['true'] },
        unknown: { issue: 99_999, runs_on: 'local', run: ['true'] },
        nowhere: { runs_on: 'moon', run: ['true'] },
        foreign: { runs_on: 'private', run: ['true'] },
      },
    };
    const before = (await world.app().deps.store.queries.batches({ limit: 1_000 })).items.length;
    for (const query of ['', '?dry_run=true']) {
      const { status, body } = await rest(world, 'POST', `/batches${query}`, document);
      expect(status).toBe(422);
      const { problems } = (body as { error: { problems: { path: string; message: string }[] } }).error;
      expect(problems.map(({ path }) => path).toSorted()).toEqual(
        [
          'tasks.closed.issue',
          'tasks.foreign.runs_on',
          'tasks.gone.issue',
          'tasks.nowhere.runs_on',
          'tasks.pull.issue',
          'tasks.unknown.issue',
        ].toSorted(),
      );
    }
    expect((await world.app().deps.store.queries.batches({ limit: 1_000 })).items).toHaveLength(before);
    const unknown = { ...document, repository: 'acme/nowhere' };
    expect((await rest(world, 'POST', '/batches', unknown)).status).toBe(422);
  });

  it('that is a dry run answers what would happen and writes nothing', async () => {
    const name = batchName();
    const issue = newIssue(world);
    const document = {
      repository: REPOSITORY,
      ...name,
      tasks: { a: { issue: issue.number, runs_on: 'local', run: ['true'] } },
    };
    const { status, body } = await rest(world, 'POST', '/batches?dry_run=true', document);
    expect(status).toBe(200);
    const { id } = body as { id: string };
    expect((await rest(world, 'GET', `/batches/${id}`)).status).toBe(404);
    expect((await rest(world, 'POST', '/batches', document)).status).toBe(201);
  });
});
