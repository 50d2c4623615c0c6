/** The policy that the repository's file says takes effect: at the first batch, at a change, and for templates of a batch. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseBatchDocument } from '../../src/core/documents/index.ts';
import { activeIssues } from '../../src/engine/active-issues.ts';
import { GitHubError, submitBatch, sweep } from '../../src/engine/index.ts';
import { makePolicyOf } from '../../src/engine/policies.ts';
import { readIssue } from '../../src/engine/read-issue.ts';
import { refreshFile } from '../../src/engine/repository-file.ts';
import { type Checker, makeChecker } from '../fixtures/engine/checker.ts';
import { type Embedded, embed, REPOSITORY, submit, untilRunning, untilTask } from '../fixtures/engine/embedded.ts';
import { type Files, makeFiles } from '../fixtures/engine/files.ts';

const ISSUE = 12;

let checker: Checker;
let files: Files;
let embedded: Embedded;

beforeEach(async () => {
  checker = makeChecker();
  checker.set(ISSUE, {});
  files = makeFiles();
  embedded = await embed({ ...checker, readFile: files.readFile });
  embedded.deps.policyOf = makePolicyOf(embedded.deps.store, () => ({}));
});
afterEach(() => embedded.close());

const long = () => ({ train: { run: embedded.long, issue: ISSUE } });

async function started(): Promise<string> {
  const [id] = await submit(embedded, long());
  await untilRunning(embedded, id!);
  return id!;
}

describe('a policy', () => {
  it('is known before the first batch of a repository, so that its very first close is judged by it', async () => {
    files.push('policy: { on_close: { completed: ignore } }\n');
    await embedded.start();
    const id = await started();
    checker.set(ISSUE, { state: 'closed', reason: 'completed' });
    await sweep(embedded.deps);
    await untilTask(embedded, id, { state: 'running', exemptEpisodeId: expect.any(String) as unknown as string });
    expect(await embedded.deps.store.newestRun(id)).toMatchObject({ state: 'running' });
  });

  it('keeps no batch waiting where the file can not be read: the defaults are in force until it can', async () => {
    files.answer(() => Promise.reject(new GitHubError('lost_access', 'not for this App', { status: 403 })));
    await embedded.start();
    const id = await started();
    checker.set(ISSUE, { state: 'closed', reason: 'not_planned' });
    await sweep(embedded.deps);
    await untilTask(embedded, id, { state: 'cancelled' });
  });

  it('that was changed without any word of it is found by the sweep, before closes are acted on', async () => {
    await embedded.start();
    const id = await started();
    files.push('policy: { on_close: { completed: cancel } }\n');
    checker.set(ISSUE, { state: 'closed', reason: 'completed' });
    await sweep(embedded.deps);
    await untilTask(embedded, id, { state: 'cancelled', cause: 'issue_completed' });
  });

  it('that changes while a run stops does not change what its close was acted on as', async () => {
    files.push('policy: { on_close: { completed: cancel } }\n');
    const engine = await embedded.start();
    const stubborn = ['sh', '-c', 'trap "" TERM; while :; do sleep 0.1; done', embedded.marker];
    const [id] = await submit(embedded, { train: { run: stubborn, issue: ISSUE } });
    await untilRunning(embedded, id!);
    checker.set(ISSUE, { state: 'closed', reason: 'completed' });
    await sweep(embedded.deps);
    await untilTask(embedded, id!, { target: expect.anything() as never });
    files.push('policy: { on_close: { completed: done } }\n');
    await refreshFile(embedded.deps, REPOSITORY);
    const run = await embedded.deps.store.newestRun(id!);
    await embedded.runner.cancel(run!.id, 'kill');
    engine.wake();
    await untilTask(embedded, id!, { state: 'cancelled', cause: 'issue_completed' });
  });

  it('whose reopen window is over starts nothing by a reopen, by sweep as by webhook, and says so', async () => {
    files.push('policy: { reopen_window_days: 0 }\n');
    await embedded.start();
    const id = await started();
    checker.set(ISSUE, { state: 'closed', reason: 'completed' });
    await sweep(embedded.deps);
    await untilTask(embedded, id, { state: 'done' });
    checker.set(ISSUE, { state: 'open' });
    await readIssue(embedded.deps, { repositoryId: REPOSITORY.id, number: ISSUE });
    await untilTask(embedded, id, { state: 'done', reopenSeenEpisodeId: expect.any(String) as unknown as string });
    const events = await embedded.deps.store.queries.events(null, 1_000);
    expect(events.find(({ type }) => type === 'TASK_REQUEUE_REFUSED')?.data).toMatchObject({ why: 'too_late' });
  });

  it('of a repository says how far back its reopens are looked for', async () => {
    const { deps } = embedded;
    const DAY_MS = 86_400_000;
    await embedded.start();
    const id = await started();
    checker.set(ISSUE, { state: 'closed', reason: 'not_planned' });
    await sweep(deps);
    await untilTask(embedded, id, { state: 'cancelled' });
    const { clock } = deps;
    const later = { ...deps, clock: () => new Date(clock().getTime() + 20 * DAY_MS) };
    expect(await activeIssues(later)).toEqual([]);
    files.push('policy: { reopen_window_days: 30 }\n');
    await refreshFile(deps, REPOSITORY);
    expect(await activeIssues(later)).toEqual([{ repositoryId: REPOSITORY.id, number: ISSUE }]);
    expect(await activeIssues(later, 10)).toEqual([]);
  });
});

describe('a batch that uses templates', () => {
  const FILE = `
tasks:
  train:
    name: Train the ranker
    runs_on: local
    run: ["echo", "--lr", "\${{ inputs.lr }}", "\${{ issue.url }}"]
    inputs: { lr: { pattern: "[0-9.]+", default: "0.1" } }
`;

  const document = (task: object) => ({ repository: REPOSITORY.fullName, name: 'nightly', tasks: { train: task } });

  async function submitted(task: object, { dryRun = false } = {}) {
    const parsed = parseBatchDocument(document(task));
    if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
    return submitBatch(embedded.deps, parsed.value, { dryRun, actor: 'ann' });
  }

  it('takes them from the file as it is on the default branch now', async () => {
    files.push(FILE);
    const answer = await submitted({ uses: 'train', with: { lr: '0.5' }, issue: ISSUE });
    const url = `https://github.example/acme/widgets/issues/${ISSUE}`;
    expect(answer).toMatchObject({
      result: 'created',
      tasks: [
        { key: 'train', name: 'Train the ranker', spec: { template: 'train', run: ['echo', '--lr', '0.5', url] } },
      ],
    });
    files.push(FILE.replace('"echo"', '"printf"'));
    const planned = await submitted({ uses: 'train', issue: ISSUE }, { dryRun: true });
    expect(planned).toMatchObject({ result: 'conflict' });
  });

  it.each([
    ['an unknown template', { uses: 'tune' }, 'tasks.train.uses', /no template is called tune; there is: train/],
    [
      'an input that does not match',
      { uses: 'train', issue: ISSUE, with: { lr: 'x' } },
      'tasks.train.with.lr',
      /\[0-9\.\]\+/,
    ],
    ['an unknown input', { uses: 'train', issue: ISSUE, with: { rate: '1' } }, 'tasks.train.with.rate', /lr/],
    ['no issue for its expression', { uses: 'train' }, 'tasks.train.issue', /issue\.url/],
  ])('with %s is refused, naming where it says so', async (_what, task, path, message) => {
    files.push(FILE);
    expect(await submitted(task)).toMatchObject({
      result: 'invalid',
      problems: [{ path, message: expect.stringMatching(message) }],
    });
  });

  it('tells of what is wrong with the issue and with the template at once', async () => {
    files.push(FILE);
    expect(await submitted({ uses: 'tune', issue: 99 })).toMatchObject({
      result: 'invalid',
      problems: [{ path: 'tasks.train.uses' }, { path: 'tasks.train.issue' }],
    });
  });

  it('is refused where there is no file, or none that was ever right, which is quoted', async () => {
    expect(await submitted({ uses: 'train' })).toMatchObject({
      result: 'invalid',
      problems: [{ path: 'tasks.train.uses', message: expect.stringContaining('no .github/standdown.yml') }],
    });
    files.push('tasks: { train: { run: "python3 train.py" } }\n');
    expect(await submitted({ uses: 'train' })).toMatchObject({
      result: 'invalid',
      problems: [
        {
          path: '',
          message: expect.stringMatching(/is wrong, and nothing is defined: line 1, column \d+: tasks\.train/),
        },
      ],
    });
  });

  it('goes by the last good file while the newest is wrong, and says so where that does not have it', async () => {
    files.push(FILE);
    expect(await submitted({ uses: 'tune' })).toMatchObject({ result: 'invalid' });
    files.push('tasks: { tune: { runs_on: local, run: [] } }\n');
    expect(await submitted({ uses: 'tune' })).toMatchObject({
      problems: [
        { path: 'tasks.train.uses' },
        { path: '', message: expect.stringMatching(/is wrong, and its content \w{10} stays/) },
      ],
    });
    expect(await submitted({ uses: 'train', issue: ISSUE })).toMatchObject({ result: 'created' });
  });

  it('is not judged where the file was never read and can not be', async () => {
    files.answer(() => Promise.reject(new GitHubError('retryable', 'bad gateway')));
    expect(await submitted({ uses: 'train' })).toMatchObject({
      result: 'unavailable',
      message: expect.stringContaining('.github/standdown.yml of acme/widgets could not be read'),
    });
  });

  it('is written together with what its caller notes, or not at all', async () => {
    const parsed = parseBatchDocument(document({ runs_on: 'local', run: ['true'] }));
    if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
    const options = { dryRun: false, actor: 'ann', issueNumber: ISSUE };
    const stale = { write: 'comments.since', repositoryId: REPOSITORY.id, from: new Date(0), to: new Date(1) } as const;
    const refused = await submitBatch(embedded.deps, parsed.value, { ...options, also: () => [stale] });
    expect(refused.result).toBe('unavailable');
    expect((await embedded.deps.store.queries.batches({ limit: 10 })).items).toEqual([]);
    const created = await submitBatch(embedded.deps, parsed.value, { ...options, also: () => [] });
    expect(created).toMatchObject({ result: 'created', batch: { issueNumber: ISSUE } });
    const ref = { repositoryId: REPOSITORY.id, number: ISSUE };
    expect(await embedded.deps.store.batchesOfIssue(ref, 10)).toHaveLength(1);
  });

  it('has comments of a repository listed from when it was first seen, and never earlier', async () => {
    const before = new Date();
    await submitted({ runs_on: 'local', run: ['true'] });
    const since = await embedded.deps.store.commentsSince(REPOSITORY.id);
    expect(since!.getTime()).toBeGreaterThanOrEqual(before.getTime());
    await submitted({ runs_on: 'local', run: ['true'] });
    expect(await embedded.deps.store.commentsSince(REPOSITORY.id)).toEqual(since);
  });
});
