/** What is owed on an issue that was moved away or deleted: written where it is now, once, or given up. */
import { beforeEach, describe, expect, it } from 'vitest';
import type { TrackedIssue } from '../../src/core/issue.ts';
import type { Deps } from '../../src/engine/deps.ts';
import type { IssueReading, RepositoryRef } from '../../src/engine/ports.ts';
import { anIssue, aTask, at } from '../support/builders.ts';
import { HERE, makeOutboxStage, type OutboxStage, refusal } from '../support/outbox-stage.ts';

const KEY = 'command:1:ann';
const ref = { repositoryId: HERE.id, number: 12 };
const THERE: RepositoryRef = { id: '3', fullName: 'acme/gadgets', installationId: HERE.installationId };
const PLACE = 'https://github.example/acme/gadgets/issues/77';

let stage: OutboxStage;
let found: RepositoryRef | null;
let reading: IssueReading;
let reads: number;

beforeEach(async () => {
  stage = await makeOutboxStage();
  found = THERE;
  reading = { found: 'transferred', to: PLACE };
  reads = 0;
});

function sender(): ReturnType<OutboxStage['start']> {
  const github = {
    ...stage.deps.github!,
    findRepository: async () => found,
    readIssue: async () => {
      reads += 1;
      return reading;
    },
  };
  return stage.start({ github } satisfies Partial<Deps>);
}

async function know(set: Partial<TrackedIssue> = {}): Promise<void> {
  await stage.store.commit([{ write: 'issue.insert', issue: anIssue({ ...ref, updatedAt: at(0), ...set }) }]);
}

const moved = { presence: 'transferred', movedTo: PLACE } as const;

/** A task of the issue that goes on, so that its status is worth telling. */
async function runTask(): Promise<void> {
  const task = aTask({ repositoryId: HERE.id, issueNumber: 12, batchId: null, state: 'ready', runNumber: 1 });
  await stage.store.commit([{ write: 'task.insert', task }]);
}

describe('on an issue that was moved', () => {
  it('words about what happened are written at its new place, and the journal says where', async () => {
    await know(moved);
    await stage.owe(KEY, 12);
    await stage.run(sender(), 1_000);
    expect(stage.bodiesOf(12)).toEqual([]);
    expect(stage.bodiesOf(77)).toHaveLength(1);
    expect(await stage.item(KEY)).toMatchObject({ state: 'sent', number: 12 });
    expect(await stage.events('COMMENT_SENT')).toMatchObject([{ issueNumber: 12, data: { moved_to: PLACE } }]);
  });

  it('a comment is made once there, also if its answer was lost', async () => {
    await know(moved);
    await stage.owe(KEY, 12);
    stage.faults.push({ call: 'createComment', error: refusal('retryable', 502), when: 'after' });
    await stage.run(sender(), 10_000);
    expect(stage.bodiesOf(77)).toHaveLength(1);
    expect((await stage.item(KEY)).state).toBe('sent');
  });

  it('words that a lock keeps back there are tried again, since nobody hears of its unlock', async () => {
    await know(moved);
    await stage.owe(KEY, 12);
    stage.faults.push({ call: 'createComment', number: 77, error: refusal('locked', 403), when: 'before' });
    await stage.run(sender(), 10_000);
    expect(stage.bodiesOf(77)).toHaveLength(1);
    expect((await stage.item(KEY)).state).toBe('sent');
  });

  it('a comment that moved along is edited there, whatever id it goes by', async () => {
    await know();
    await stage.owe(KEY, 12);
    await stage.run(sender(), 1_000);
    const [id] = stage.comments.keys();
    const { body } = stage.comments.get(id ?? '') ?? { body: '' };
    stage.comments.clear();
    stage.comments.set('5000', { number: 77, body: `${body.split('-->')[0]}-->\nas it was` });
    const known = await stage.store.issue(ref);
    await stage.store.commit([{ write: 'issue.update', ref, version: known?.version ?? 0, set: moved }]);
    await stage.owe(KEY, 12);
    const item = await stage.item(KEY);
    await stage.store.commit([{ write: 'outbox.owe', item: { ...item, dueAt: stage.now() } }]);
    await stage.run(sender(), 5_000);
    expect(stage.bodiesOf(77)).toHaveLength(1);
    expect(stage.bodiesOf(12)).toEqual([]);
  });

  it('its status is edited where it moved along, and made nowhere', async () => {
    await know(moved);
    await runTask();
    const key = 'status:1#12';
    const id = 'status-1-12';
    const owe = {
      write: 'outbox.owe',
      item: { id, key, kind: 'status', ...ref, dueAt: at(0), createdAt: at(0) },
    } as const;
    await stage.store.commit([owe]);
    await stage.run(sender(), 1_000);
    expect(stage.writes).toEqual([]);
    stage.comments.set('5000', { number: 77, body: `<!-- standdown:status ${id} -->\nas it was` });
    await stage.store.commit([{ ...owe, item: { ...owe.item, dueAt: stage.now() } }]);
    await stage.run(sender(), 60_000);
    expect(stage.bodiesOf(77)).toHaveLength(1);
    expect(stage.bodiesOf(77)[0]).toContain('Tasks of this issue');
    expect(stage.bodiesOf(77)[0]).not.toContain('as it was');
  });

  it.each<[string, Partial<TrackedIssue>, RepositoryRef | null]>([
    ['nobody here may see where to', { ...moved, movedTo: null }, THERE],
    ['the App is not installed there', moved, null],
    ['another installation is responsible there', moved, { ...THERE, installationId: 99 }],
    ['it belongs to another owner by now', moved, { ...THERE, fullName: 'other/gadgets' }],
  ])('words are given up where %s, and the journal says so', async (_why, issue, there) => {
    found = there;
    await know(issue);
    await stage.owe(KEY, 12);
    await stage.run(sender(), 60_000);
    expect(stage.writes).toEqual([]);
    expect((await stage.item(KEY)).state).toBe('refused');
    expect(await stage.events('COMMENT_REFUSED')).toHaveLength(1);
  });

  it('what is wrong with the file of its old repository is not told in its new one', async () => {
    await know(moved);
    const file = { sha: 'abc', etag: null, text: null, textSha: null, problems: ['line 1: no'], checkedAt: at(0) };
    await stage.store.commit([{ write: 'file.put', file: { repositoryId: HERE.id, ...file } }]);
    await stage.owe('notice:1:abc', 12, { kind: 'notice' });
    await stage.run(sender(), 60_000);
    expect(stage.writes).toEqual([]);
    expect((await stage.item('notice:1:abc')).state).toBe('refused');
  });
});

describe('where nobody has told of it yet', () => {
  it.each([404, 410, 307])(
    'a comment that is refused with %i finds the new place by reading the issue',
    async (status) => {
      await know();
      await stage.owe(KEY, 12);
      stage.faults.push({ call: 'createComment', number: 12, error: refusal('refused', status), when: 'before' });
      await stage.run(sender(), 10_000);
      expect(stage.bodiesOf(77)).toHaveLength(1);
      expect(await stage.store.issue(ref)).toMatchObject(moved);
      expect(await stage.events('ISSUE_TRANSFERRED')).toMatchObject([{ data: { moved_to: PLACE } }]);
    },
  );

  it('a comment that had been made before the move is found after it', async () => {
    await know();
    await stage.owe(KEY, 12);
    stage.faults.push({ call: 'createComment', error: refusal('retryable', 502), when: 'after' });
    stage.faults.push({ call: 'findComment', number: 12, error: refusal('refused', 404), when: 'before' });
    const working = sender();
    await stage.run(working, 100);
    const [made] = stage.comments.values();
    stage.comments.clear();
    stage.comments.set('5000', { number: 77, body: made?.body ?? '' });
    await stage.run(working, 60_000);
    expect(stage.bodiesOf(77)).toHaveLength(1);
    expect((await stage.item(KEY)).state).toBe('sent');
  });

  it('a refusal of the words themselves is no sign of a move', async () => {
    await know();
    await stage.owe(KEY, 12);
    stage.faults.push({ call: 'createComment', error: refusal('refused', 422), when: 'before' });
    await stage.run(sender(), 10_000);
    expect(reads).toBe(0);
    expect((await stage.item(KEY)).state).toBe('refused');
  });
});

describe('on an issue that was deleted', () => {
  it('nothing is tried, and the journal says why', async () => {
    await know({ presence: 'deleted' });
    await stage.owe(KEY, 12);
    await stage.run(sender(), 60_000);
    expect(stage.writes).toEqual([]);
    expect(await stage.item(KEY)).toMatchObject({ state: 'refused', lastError: 'its issue was deleted' });
    expect(await stage.events('COMMENT_REFUSED')).toMatchObject([{ data: { message: 'its issue was deleted' } }]);
  });

  it('a refusal that proves nothing is final only once the issue was read', async () => {
    reading = { found: 'deleted' };
    await know();
    await stage.owe(KEY, 12);
    stage.faults.push({ call: 'createComment', error: refusal('refused', 410), when: 'before' });
    await stage.run(sender(), 60_000);
    expect(reads).toBe(1);
    expect(await stage.store.issue(ref)).toMatchObject({ presence: 'deleted' });
    expect((await stage.item(KEY)).state).toBe('refused');
    expect(await stage.events('ISSUE_DELETED')).toHaveLength(1);
  });
});
