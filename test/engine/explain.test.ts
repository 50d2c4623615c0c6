/** What a close or reopen would do, told of the real rows; and what really comes of it. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { explainIssue } from '../../src/engine/explain.ts';
import { checkAllActive, GitHubError } from '../../src/engine/index.ts';
import { type Checker, makeChecker } from '../fixtures/engine/checker.ts';
import { type Embedded, embed, REPOSITORY, submit, untilRunning, untilTask } from '../fixtures/engine/embedded.ts';

/** Long, since a busy machine is no failure. */
const WAIT = { timeout: 20_000 };

let embedded: Embedded;
let github: Checker;

beforeEach(async () => {
  github = makeChecker();
  embedded = await embed(github);
});
afterEach(() => embedded.close());

const explain = (number: number) => explainIssue(embedded.deps, 'acme/widgets', number);

describe('an issue is explained', () => {
  it('as it is on GitHub now, and what is said comes true', async () => {
    github.set(12, {});
    const [id = ''] = await submit(embedded, { train: { run: embedded.long, issue: 12 } });
    await embedded.start();
    await untilRunning(embedded, id);
    expect(await explain(12)).toMatchObject({
      result: 'explained',
      note: null,
      issue: { state: 'open' },
      blockers: [],
      tasks: [
        {
          task: { id },
          waitingOn: null,
          ifClosed: {
            completed: expect.stringMatching(/^run 1 is stopped, and it becomes done/),
            notPlanned: 'run 1 is stopped, and it becomes cancelled',
          },
          ifReopened: null,
        },
      ],
    });

    github.set(12, { state: 'closed', reason: 'not_planned' });
    await checkAllActive(embedded.deps);
    await untilTask(embedded, id, { state: 'cancelled' });
    expect(await explain(12)).toMatchObject({
      issue: { state: 'closed' },
      tasks: [
        {
          ifClosed: { completed: 'nothing: it is cancelled (issue_not_planned by ann) already' },
          ifReopened: expect.stringMatching(/^it is queued again as run 2 \(where whoever reopens .* write permission/),
        },
      ],
    });
    github.set(12, { state: 'open' });
    await checkAllActive(embedded.deps);
    await untilRunning(embedded, id, 2);
  });

  it('with a note where the App was taken from its repository, though GitHub still shows it', async () => {
    github.set(12, {});
    await submit(embedded, { train: { run: ['true'], issue: 12 } });
    const set = { access: 'gone', accessSince: new Date() } as const;
    await embedded.deps.store.commit([{ write: 'repository.state', repositoryId: REPOSITORY.id, set }]);
    const note = expect.stringMatching(/^the App was taken from acme\/widgets \d+ s ago: no close is seen there/);
    expect(await explain(12)).toMatchObject({ result: 'explained', issue: { state: 'open' }, note });
  });

  it('that only blocks others, with what its close would free', async () => {
    github.set(12, { dependsOn: ['#7'] });
    github.set(13, { dependsOn: ['#7', '#8'] });
    github.set(7, {});
    github.set(8, {});
    const spec = { run: ['true'] };
    const [freed = '', left = ''] = await submit(embedded, {
      train: { ...spec, issue: 12 },
      eval: { ...spec, issue: 13 },
    });
    await embedded.start();
    for (const id of [freed, left]) await untilTask(embedded, id, { state: 'blocked' });
    const explained = await explain(7);
    expect(explained).toMatchObject({ result: 'explained', tasks: [] });
    if (explained.result !== 'explained') return;
    const words = explained.blocks.map(({ task, issue, ifCompleted }) => [task.id, issue, ifCompleted]);
    expect(words).toEqual([
      [freed, 'acme/widgets#12', expect.stringMatching(/^nothing blocks it any more /)],
      [left, 'acme/widgets#13', expect.stringMatching(/^it is still blocked by acme\/widgets#8 /)],
    ]);

    github.set(7, { state: 'closed', reason: 'completed' });
    await checkAllActive(embedded.deps);
    await untilTask(embedded, freed, { state: 'done' });
    expect(await embedded.deps.store.task(left)).toMatchObject({ state: 'blocked' });
    expect(await explain(7)).toMatchObject({ blocks: [] });
  });

  it('and nothing of it is changed by that', async () => {
    github.set(12, {});
    const [id = ''] = await submit(embedded, { train: { run: ['true'], issue: 12 } });
    const { store } = embedded.deps;
    const before = [await store.task(id), await store.queries.events(null, 100)];
    await explain(12);
    expect([await store.task(id), await store.queries.events(null, 100)]).toEqual(before);
  });

  it('of a batch whose name another one has taken, a reopen starts nothing', async () => {
    github.set(12, {});
    const [id = ''] = await submit(embedded, { train: { run: ['true'], issue: 12 } });
    await embedded.start();
    github.set(12, { state: 'closed', reason: 'not_planned' });
    await checkAllActive(embedded.deps);
    await expect.poll(async () => (await embedded.deps.store.task(id))?.finishedAt ?? null, WAIT).not.toBeNull();
    await expect
      .poll(() => submit(embedded, { other: { run: ['true'] } }).catch(() => null), { ...WAIT, interval: 100 })
      .not.toBeNull();
    expect(await explain(12)).toMatchObject({ tasks: [{ ifReopened: 'nothing: a newer batch of that name exists' }] });
  });

  it('as it was last known where GitHub is silent, and says so', async () => {
    github.set(12, {});
    await submit(embedded, { train: { run: ['true'], issue: 12 } });
    github.silence(12);
    expect(await explain(12)).toMatchObject({
      result: 'explained',
      issue: { state: 'open' },
      note: expect.stringMatching(
        /^GitHub gave no answer to rely on \(no answer\): try again; this is its state of \d+ s ago$/,
      ),
    });
    github.silence(13);
    await expect(explain(13)).rejects.toThrow(GitHubError);
  });

  it('only where there is one', async () => {
    expect(await explainIssue(embedded.deps, 'acme/other', 12)).toEqual({
      result: 'not_found',
      message: 'the repository acme/other is not known here',
    });
    await submit(embedded, { train: { run: ['true'] } });
    expect(await explain(99)).toEqual({ result: 'not_found', message: 'there is no issue acme/widgets#99' });
  });
});
