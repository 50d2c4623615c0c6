/** What waits for an unlock is owed again by whatever tells of it. */
import { beforeEach, expect, it } from 'vitest';
import type { IssueSnapshot, TrackedIssue } from '../../src/core/issue.ts';
import type { Deps } from '../../src/engine/deps.ts';
import { processDeliveries } from '../../src/engine/process-deliveries.ts';
import { readIssue } from '../../src/engine/read-issue.ts';
import { anIssue, at } from '../support/builders.ts';
import { HERE, makeOutboxStage, type OutboxStage, refusal } from '../support/outbox-stage.ts';

const KEY = 'command:1:ann';
const ref = { repositoryId: HERE.id, number: 12 };

let stage: OutboxStage;

/** A message that was refused because its issue is locked. */
beforeEach(async () => {
  stage = await makeOutboxStage();
  await stage.owe(KEY, ref.number);
  stage.faults.push({ call: 'createComment', error: refusal('locked', 403), when: 'before' });
  await stage.run(stage.start(), 1_000);
  expect((await stage.item(KEY)).state).toBe('locked');
});

async function know(set: Partial<TrackedIssue>): Promise<void> {
  await stage.store.commit([{ write: 'issue.insert', issue: anIssue({ ...ref, updatedAt: at(0), ...set }) }]);
}

/** The issue as GitHub shows it after that. */
function seen(set: Partial<IssueSnapshot> = {}): IssueSnapshot {
  const { repositoryId: _, ...issue } = anIssue({ ...ref, updatedAt: at(1), ...set });
  return issue;
}

async function tell(action: string, issue: IssueSnapshot): Promise<void> {
  const deps: Deps = { ...stage.deps, interpret: () => ({ kind: 'issue', action, ref, issue, repository: HERE }) };
  await stage.store.inbox.insert({
    id: `${action} ${issue.state}`,
    event: 'issues',
    payload: '{}',
    receivedAt: stage.now(),
  });
  await processDeliveries(deps);
}

function reading(issue: IssueSnapshot): Deps {
  const github = { ...stage.deps.github!, readIssue: async () => ({ found: 'issue' as const, issue }) };
  return { ...stage.deps, github };
}

it('a message that waits for an unlock is owed again by a delivery of it', async () => {
  await know({ locked: true });
  await tell('unlocked', seen());
  expect((await stage.item(KEY)).state).toBe('owed');
});

it('it is owed again by a believed close of the issue, which is not locked any more', async () => {
  await know({ locked: true });
  await tell('closed', seen({ state: 'closed', closedAt: at(1) }));
  expect(await stage.store.issue(ref)).toMatchObject({ state: 'closed', locked: false });
  expect((await stage.item(KEY)).state).toBe('owed');
});

it('it waits on where a delivery tells of something else', async () => {
  await know({ locked: true });
  await tell('labeled', seen({ locked: true }));
  await tell('closed', seen({ locked: true, state: 'closed', closedAt: at(1) }));
  expect((await stage.item(KEY)).state).toBe('locked');
});

it('it is owed again by a read that finds the issue unlocked, and by no other', async () => {
  await know({ locked: true });
  await readIssue(reading(seen({ locked: true })), ref);
  expect((await stage.item(KEY)).state).toBe('locked');
  await readIssue(reading(seen()), ref);
  expect((await stage.item(KEY)).state).toBe('owed');
});

it('it is owed again by the first read of an issue that was never read', async () => {
  await readIssue(reading(seen()), ref);
  expect((await stage.item(KEY)).state).toBe('owed');
});

it('it is tried once more, and given up, when its issue is deleted or transferred while it is locked', async () => {
  await know({ locked: true });
  const github = { ...stage.deps.github!, readIssue: async () => ({ found: 'deleted' as const }) };
  await readIssue({ ...stage.deps, github }, ref);
  expect((await stage.item(KEY)).state).toBe('owed');
  expect(await stage.store.trackedIssues(at(0))).toEqual([]);
});

it('it is owed again where the unlock was read while the lock was being noted', async () => {
  await know({ locked: true });
  await readIssue(reading(seen()), ref);
  stage.faults.push({ call: 'createComment', error: refusal('locked', 403), when: 'before' });
  const { outbox } = stage.store;
  const release: typeof outbox.release = async (...given) => {
    await readIssue(reading(seen({ updatedAt: at(2) })), ref);
    return outbox.release(...given);
  };
  await stage.run(stage.start({ store: { ...stage.store, outbox: { ...outbox, release } } }), 1_000);
  await stage.run(stage.start(), 10_000);
  expect((await stage.item(KEY)).state).toBe('sent');
});

it('a lock is noted, and live state asked for, though the row of its issue changes under the note', async () => {
  await know({ locked: true });
  await readIssue(reading(seen()), ref);
  stage.faults.push({ call: 'createComment', error: refusal('locked', 403), when: 'before' });
  let changed = false;
  const commit: Deps['store']['commit'] = async (writes) => {
    const { version } = (await stage.store.issue(ref))!;
    if (!changed && writes.some(({ write }) => write === 'issue.update')) {
      changed = true;
      await stage.store.commit([{ write: 'issue.update', ref, version, set: { blockersDue: true } }]);
    }
    return stage.store.commit(writes);
  };
  await stage.run(stage.start({ store: { ...stage.store, commit } }), 1_000);
  expect((await stage.item(KEY)).state).toBe('locked');
  expect(await stage.store.issue(ref)).toMatchObject({ locked: true, readDue: true });
});
