/** What is started by name: only what the default branch defines, where the operator allows it, with inputs that are what they may be. */
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { GitHubError } from '../../../src/engine/ports.ts';
import { at, T0 } from '../../support/builders.ts';
import { ISSUE, makeStage, outcomesOf, REPOSITORY, type Stage } from '../../support/comment-stage.ts';

const FILE = `
tasks:
  train:
    name: Train the ranker
    runs_on: local
    run: ["python3", "train.py", "--lr", "\${{ inputs.lr }}", "\${{ issue.number }}"]
    inputs:
      lr: { pattern: "[0-9.e-]+", default: "0.1" }
      note: { pattern: "(?s).*", default: none }
    env: { NOTE: "\${{ inputs.note }}" }
  secret: { runs_on: local, run: ["true"], env_from: [HF_TOKEN] }
  far: { runs_on: cluster, run: ["true"] }
batches:
  nightly:
    tasks:
      fetch: { issue: 12, runs_on: local, run: ["true"] }
      train: { issue: 12, needs: [fetch], uses: train, with: { lr: "3" } }
`;

let stage: Stage;

beforeEach(async () => {
  stage = await makeStage();
  stage.files.push(FILE);
});

async function outcome(body: string) {
  return outcomesOf(await stage.say(body))[0];
}

const tasks = () => stage.store.tasksOfIssue({ repositoryId: REPOSITORY.id, number: ISSUE });

describe('/task run', () => {
  it('makes a task of the issue from the template, to be started like any other', async () => {
    const started = await outcome('/task run train lr=0.01 note="a b"');
    expect(started).toMatchObject({ result: 'started', key: 'train' });
    const [task, ...more] = await tasks();
    expect(more).toEqual([]);
    expect(task).toMatchObject({
      key: 'train',
      name: 'Train the ranker',
      batchId: null,
      issueNumber: ISSUE,
      state: 'ready',
      spec: { template: 'train', run: ['python3', 'train.py', '--lr', '0.01', '12'], env: { NOTE: 'a b' } },
    });
    expect(await stage.store.startable(at(100), 10, { batchIds: [], repositoryIds: [] })).toHaveLength(1);
    const keys = (await stage.store.queue.claim('test', 10, 1_000)).map(({ key }) => key);
    expect(keys).toEqual([]);
  });

  it('goes by the file as it is now, without any push told of', async () => {
    await stage.say('/task status');
    stage.files.push(FILE.replace('  train:\n    name', '  learn:\n    name').replace('uses: train', 'uses: learn'));
    expect(await outcome('/task run train')).toMatchObject({
      words: 'no template is called train; there is: learn, secret, far',
    });
    expect(await outcome('/task run learn')).toMatchObject({ result: 'started' });
  });

  it('is refused while an unfinished task of that template is on the issue, naming it', async () => {
    const first = await outcome('/task run train');
    const id = first?.result === 'started' ? first.taskId : '';
    expect(await outcome('/task run train')).toMatchObject({ result: 'refused', words: expect.stringContaining(id) });
    expect(await tasks()).toHaveLength(1);
    const { version } = await stage.task(id);
    await stage.store.commit([{ write: 'task.update', id, version, set: { state: 'done', finishedAt: T0 } }]);
    expect(await outcome('/task run train')).toMatchObject({ result: 'started' });
  });

  it('is refused twice in one comment, too', async () => {
    const row = await stage.say('/task run train\n/task run train');
    expect(outcomesOf(row)).toMatchObject([{ result: 'started' }, { result: 'refused' }]);
    expect(await tasks()).toHaveLength(1);
  });

  it.each([
    ['a template that is not there', 'nope', /no template is called nope; there is: train, secret, far/],
    ['an input that is not as it may be', 'train lr=abc', /inputs\.lr/],
    ['an input that is unknown', 'train speed=1', /speed/],
    [
      'a runner that nobody configured',
      'far',
      /no runner is called cluster; there is: local; attended is for people alone/,
    ],
    ['a variable that the runner does not pass', 'secret', /does not pass HF_TOKEN/],
  ])('is refused for %s, saying what is accepted', async (_why, said, words) => {
    const refused = await outcome(`/task run ${said}`);
    expect(refused).toMatchObject({ result: 'refused', why: 'other' });
    expect(refused?.result === 'refused' ? refused.words : '').toMatch(words);
    expect(await tasks()).toEqual([]);
  });

  it('needs the operator’s word for this repository', async () => {
    stage.deps.runners = { ...stage.deps.runners, allows: () => false };
    expect(await outcome('/task run train')).toMatchObject({
      words: "runs_on: the operator's file gives local to other repositories, not to acme/widgets",
    });
  });

  it('says so where the operator’s file has no runner at all', async () => {
    stage.deps.runners = { get: () => null, names: () => [], allows: () => false };
    expect(await outcome('/task run train')).toMatchObject({
      words: "runs_on: no runner is called local; the operator's file configures none",
    });
  });

  it('starts nothing where there is no file, none that is right, or none that can be read', async () => {
    stage.files.push(null);
    expect(await outcome('/task run train')).toMatchObject({
      words: expect.stringContaining('has no .github/standdown.yml'),
    });
    stage.files.push('tasks: { train: { runs_on: local, run: 5 } }');
    expect(await outcome('/task run train')).toMatchObject({
      words: expect.stringMatching(
        /is wrong, and none was right before: line 1, column \d+: tasks\.train\.run: must be/,
      ),
    });
    const fresh = await makeStage();
    fresh.files.answer(async () => {
      throw new GitHubError('retryable', 'no answer');
    });
    const row = await fresh.say('/task run train');
    expect(outcomesOf(row)).toMatchObject([{ result: 'refused', words: expect.stringContaining('no answer') }]);
    expect(await tasks()).toEqual([]);
  });

  it('tells why a template that somebody wrote down is not there', async () => {
    await stage.say('/task run train');
    stage.files.push('tasks: { novel: { runs_on: 5 } }');
    expect(await outcome('/task run novel')).toMatchObject({
      words: expect.stringMatching(
        /^no template is called novel; there is: train, .* is wrong, and what was right before is in force: line 1, .*; and 1 more$/,
      ),
    });
  });

  it('tells once that the file is wrong, and starts from the last one that was right', async () => {
    await stage.say('/task run train');
    stage.files.push('tasks: { train: { runs_on: 5 } }');
    await stage.say('/task run secret\n/task run far');
    await stage.say('/task retry');
    expect(Object.keys(await stage.owed()).filter((key) => key.startsWith('notice:'))).toHaveLength(1);
  });

  const HOSTILE = [
    '$(reboot)',
    '`id`',
    '; rm -rf /',
    '--flag',
    '__proto__',
    '../../etc',
    '\u202Ex',
    '\u0024{{ inputs.note }}',
  ];

  it.each(HOSTILE)('passes %s on as it stands, or not at all', async (value) => {
    const answer = await outcome(`/task run train note='${value}'`);
    const [task] = await tasks();
    if (answer?.result === 'started')
      expect(task?.spec).toMatchObject({ env: { NOTE: value }, run: ['python3', 'train.py', '--lr', '0.1', '12'] });
    else expect(task).toBeUndefined();
  });

  it('takes whatever people write for what it is: a start, a refusal or nothing', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 60 }), async (text) => {
        const fresh = await makeStage();
        fresh.files.push(FILE);
        const row = await fresh.say(`/task run train ${text}`);
        for (const each of outcomesOf(row)) expect(each).not.toBeNull();
        const made = await fresh.store.tasksOfIssue({ repositoryId: REPOSITORY.id, number: ISSUE });
        for (const { spec } of made) expect(spec.run).toHaveLength(5);
      }),
      { numRuns: 50 },
    );
  });
});

describe('/batch run', () => {
  it('starts a batch of the file, in this issue', async () => {
    const started = await outcome('/batch run nightly');
    expect(started).toMatchObject({ result: 'batch_started', name: 'nightly' });
    const [batch] = await stage.store.batchesOfIssue({ repositoryId: REPOSITORY.id, number: ISSUE }, 5);
    expect(batch).toMatchObject({ name: 'nightly', state: 'running', issueNumber: ISSUE });
    const made = await stage.store.tasksOfBatch(batch?.id ?? '');
    expect(made.map(({ key, state }) => [key, state])).toEqual([
      ['fetch', 'ready'],
      ['train', 'waiting'],
    ]);
  });

  it('is refused while it is running, and for a name that is not there', async () => {
    await stage.say('/batch run nightly');
    expect(await outcome('/batch run nightly')).toMatchObject({ words: expect.stringContaining('cancel it first') });
    expect(await outcome('/batch run weekly')).toMatchObject({ words: 'no batch is called weekly; there is: nightly' });
    expect(await stage.store.batchesOfIssue({ repositoryId: REPOSITORY.id, number: ISSUE }, 5)).toHaveLength(1);
  });
});
