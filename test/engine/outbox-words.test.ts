/** What comments are rendered from: facts as they are when it is sent, and nothing that is not worth a comment. */
import { describe, expect, it } from 'vitest';
import { gatherNotice } from '../../src/engine/outbox/gather-notice.ts';
import { gatherReply } from '../../src/engine/outbox/gather-reply.ts';
import { gatherStatus } from '../../src/engine/outbox/gather-status.ts';
import type { Gather, Rendered } from '../../src/engine/outbox/rendered.ts';
import type { OutboxItem } from '../../src/engine/ports.ts';
import { noticeWrites } from '../../src/engine/repository-file.ts';
import { statusWrites } from '../../src/engine/transition/parts.ts';
import { aBatch, anIssue, aTask, at } from '../support/builders.ts';
import { ISSUE, makeStage, REPOSITORY, type Stage } from '../support/comment-stage.ts';

const GATHER: Record<'reply' | 'status' | 'notice', Gather> = {
  reply: gatherReply,
  status: gatherStatus,
  notice: gatherNotice,
};
type Kind = keyof typeof GATHER;

/** null: there is no such message. */
async function render(stage: Stage, id: string): Promise<Rendered | { item: null }> {
  const view = await stage.store.outbox.view(id);
  if (view === null) return { item: null };
  return GATHER[view.item.kind as Kind](stage.deps, view, []);
}

async function bodyOf(stage: Stage, id: string): Promise<string> {
  const rendered = await render(stage, id);
  if (rendered === null || rendered === 'not_yet' || !('body' in rendered)) throw new Error(JSON.stringify(rendered));
  return rendered.body;
}

async function itemOf(stage: Stage, id: string): Promise<OutboxItem | undefined> {
  return (await stage.store.outbox.view(id))?.item;
}

const STATUS = `status-${REPOSITORY.id}-${ISSUE}`;
const owing = (stage: Stage) =>
  stage.store.commit(statusWrites({ repositoryId: REPOSITORY.id, issueNumber: ISSUE }, stage.deps.clock()));

it('an answer tells what the command did, and stands where it was asked, whatever issue the task is linked to', async () => {
  const stage = await makeStage();
  await stage.put({ id: 'task_train', issueNumber: 13 });
  await stage.say('/task cancel task_train', { id: '5' });
  expect((await itemOf(stage, 'reply-5'))?.number).toBe(ISSUE);
  expect(await bodyOf(stage, 'reply-5')).toBe(
    '<!-- standdown:reply reply-5 -->\nAs **ann** (write) asked:\n\n> `/task cancel task_train`\n\n- `train` had no run to stop; the task is **cancelled**.\n\nTo undo: `/task retry train` (needs write permission).',
  );
});

it('an answer waits until the run was seen gone, and no longer than anybody waits', async () => {
  const stage = await makeStage();
  await stage.put({ id: 'task_train' }, {});
  await stage.say('/task cancel', { id: '5' });
  expect(await render(stage, 'reply-5')).toBe('not_yet');
  stage.setTime(100 + 601);
  expect(await bodyOf(stage, 'reply-5')).toMatch(/run 1 was told to stop; its runner has not said yet/);
});

it('an answer shows status, batches, logs and help as they are then', async () => {
  const stage = await makeStage();
  stage.output.text = 'epoch 1\n```\n';
  await stage.put({ id: 'task_train' }, {});
  await stage.put({ id: 'task_test' });
  await stage.say('/task status\n/task status train\n/task logs train\n/task help', { id: '5' });
  const body = await bodyOf(stage, 'reply-5');
  expect(body.match(/^\| `(train|test)` .*/gm)?.map((row) => row.split('|')[1])).toEqual([
    ...[expect.stringContaining('t'), expect.stringContaining('t'), ' `train` '],
  ]);
  expect(body).toContain('````text\nepoch 1\n```\n````');
  expect(body).toContain('| `/task run <template> [key=value …]` |');
});

describe('a status is owed anew', () => {
  it.each(['hold', 'cancel', 'done', 'skip', 'block Which seed?'])('by %s, five seconds later', async (verb) => {
    const stage = await makeStage();
    await stage.put({ id: 'task_train' });
    await stage.say(`/task ${verb}`);
    expect(await itemOf(stage, STATUS)).toMatchObject({ kind: 'status', number: ISSUE, dueAt: at(105) });
  });

  it('of both issues where a task is linked to another one', async () => {
    const stage = await makeStage();
    await stage.put({ id: 'task_train', issueNumber: 13 });
    await stage.say('/task link task_train');
    expect(await stage.owed()).toMatchObject({ 'status:7#12': 'status', 'status:7#13': 'status' });
  });

  it('not by a stop, whose end follows', async () => {
    const stage = await makeStage();
    await stage.put({ id: 'task_train' }, {});
    await stage.say('/task cancel');
    expect(await itemOf(stage, STATUS)).toBeUndefined();
  });
});

it('a status is first made when there is something to follow, and then follows to the end', async () => {
  const stage = await makeStage();
  await stage.put({ id: 'task_train' });
  await owing(stage);
  expect(await render(stage, STATUS)).toBeNull();
  await stage.put({ id: 'task_test' }, {});
  expect(await bodyOf(stage, STATUS)).toMatch(/\| `test` \| ● running \|[^\n]*\n\| `train` \| ○ ready/);
  const [lease] = await stage.store.outbox.claim('test', 1, 60_000);
  expect(lease).toBeUndefined();
  stage.setTime(106);
  const [due] = await stage.store.outbox.claim('test', 1, 60_000);
  await stage.store.outbox.release(due!, { state: 'sent', remoteId: '77', sentAt: at(106) });
  const task = await stage.task('task_test');
  const set = { state: 'done', cause: 'run_succeeded', actor: 'runner', finishedAt: at(106) } as const;
  await stage.store.commit([{ write: 'task.update', id: task.id, version: task.version, set }]);
  stage.setTime(125);
  expect(await render(stage, STATUS)).toBe('not_yet');
  stage.setTime(126);
  expect(await bodyOf(stage, STATUS)).toContain('| `test` | ✓ done | its run succeeded |');
});

it('a status tells the batches that were started in its issue, and links the issues of their tasks', async () => {
  const stage = await makeStage();
  const batch = aBatch({ repositoryId: REPOSITORY.id, issueNumber: ISSUE });
  const other = anIssue({
    repositoryId: REPOSITORY.id,
    number: 13,
    nodeId: 'I_13',
    url: 'https://github.com/a/b/issues/13',
  });
  const tasks = [
    aTask({ id: 'task_a', key: 'fetch', repositoryId: REPOSITORY.id, issueNumber: 13 }),
    aTask({
      id: 'task_b',
      key: 'train',
      repositoryId: REPOSITORY.id,
      issueNumber: null,
      state: 'waiting',
      needs: ['fetch'],
    }),
  ];
  await stage.store.commit([
    { write: 'issue.insert', issue: other },
    { write: 'batch.insert', batch, document: {} },
    ...tasks.map((task) => ({ write: 'task.insert' as const, task })),
  ]);
  await owing(stage);
  const body = await bodyOf(stage, STATUS);
  expect(body).toContain('**Batch `nightly`** is **running**: 1 waiting, 1 ready.');
  expect(body).toContain('[issue 13](https://github.com/a/b/issues/13)');
  expect(body).toContain('t0 --> t1');
});

it('a large batch is told by its counts and the tasks that matter, of which alone all is read', async () => {
  const stage = await makeStage();
  const batch = aBatch({ repositoryId: REPOSITORY.id, issueNumber: ISSUE });
  const tasks = Array.from({ length: 1_000 }, (_, position) =>
    aTask({
      ...{ id: `task_${position}`, key: `t${position}`, repositoryId: REPOSITORY.id, issueNumber: null, position },
      state: position === 900 ? 'running' : 'waiting',
    }),
  );
  await stage.store.commit([
    { write: 'batch.insert', batch, document: {} },
    ...tasks.map((task) => ({ write: 'task.insert' as const, task })),
  ]);
  await owing(stage);
  const body = await bodyOf(stage, STATUS);
  expect(body).toContain('999 waiting, 1 running');
  expect(body).toContain('| `t900` | ● running |');
  expect(body).toContain('| and 950 more |');
});

it('a notice is told while the file has the content that it is about', async () => {
  const stage = await makeStage();
  const wrong = { repositoryId: REPOSITORY.id, etag: null, sha: 'abc', text: null, textSha: null, checkedAt: at(0) };
  const file = { ...wrong, problems: ['line 2, column 3: tasks.train.run: must be a list'] };
  await stage.store.commit([{ write: 'file.put', file }, ...noticeWrites(file, ISSUE, at(0))]);
  expect(await bodyOf(stage, `notice-${REPOSITORY.id}-abc`)).toContain('line 2, column 3: tasks.train.run');
  await stage.store.commit([{ write: 'file.put', file: { ...file, sha: 'def', problems: null } }]);
  expect(await render(stage, `notice-${REPOSITORY.id}-abc`)).toBeNull();
});
