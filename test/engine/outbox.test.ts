/** What is owed becomes one comment for one cause, in order, whatever GitHub answers and whenever a sender dies. */
import { beforeEach, describe, expect, it } from 'vitest';
import type { CommandComment } from '../../src/core/comment.ts';
import { writeScope } from '../../src/core/pace.ts';
import { outcomeMarker } from '../../src/core/report/outcome.ts';
import type { Write } from '../../src/engine/ports.ts';
import { aRun, aTask, at } from '../support/builders.ts';
import { HERE, idOf, makeOutboxStage, type OutboxStage, refusal } from '../support/outbox-stage.ts';

const MINUTE = 60_000;
const ISSUE = 12;

let stage: OutboxStage;

beforeEach(async () => {
  stage = await makeOutboxStage();
});

const task = (id: string): Write => ({
  write: 'task.insert',
  task: aTask({ id, key: id, batchId: null, repositoryId: HERE.id, issueNumber: ISSUE }),
});

/** The outcome of an order about one task that had no run. */
async function oweEnded(key: string, taskId: string): Promise<void> {
  const line = { taskId, runId: null, effect: 'ended', result: 'cancelled' } as const;
  await stage.store.commit([task(taskId)]);
  await stage.owe(key, ISSUE);
  await stage.store.commit([{ write: 'outbox.line', key, line }]);
}

/** A store that dies when the result of a send is to be kept. */
function dyingAtRelease() {
  const release = () => Promise.reject(new Error('killed'));
  return { store: { ...stage.store, outbox: { ...stage.store.outbox, release } } };
}

describe('one comment for one cause', () => {
  it('begins with its marker, and its id is journalled', async () => {
    await stage.owe('command:1:ann', ISSUE);
    await stage.run(stage.start(), MINUTE);
    const [body, ...others] = stage.bodiesOf(ISSUE);
    expect(others).toEqual([]);
    expect(body).toContain(outcomeMarker(idOf('command:1:ann')));
    const { remoteId, state } = await stage.item('command:1:ann');
    expect(state).toBe('sent');
    const data = { key: 'command:1:ann', comment: remoteId };
    expect(await stage.events('COMMENT_SENT')).toMatchObject([{ repositoryId: HERE.id, issueNumber: ISSUE, data }]);
  });

  it('is found by its marker where a sender died between sending and noting it', async () => {
    await stage.owe('command:1:ann', ISSUE);
    await expect(stage.run(stage.start(dyingAtRelease()), MINUTE)).rejects.toThrow('killed');
    expect(stage.comments.size).toBe(1);
    stage.advance(MINUTE);
    await stage.run(stage.start(), MINUTE);
    expect(stage.comments.size).toBe(1);
    expect(await stage.item('command:1:ann')).toMatchObject({ state: 'sent', remoteId: '1000' });
  });

  it('is found so, too, where the next sender has to wait before it may write', async () => {
    await stage.owe('command:1:ann', ISSUE);
    await expect(stage.run(stage.start(dyingAtRelease()), MINUTE)).rejects.toThrow('killed');
    stage.advance(MINUTE);
    await stage.store.outbox.pause(writeScope(HERE), 5_000);
    await stage.run(stage.start(), MINUTE);
    expect(stage.comments.size).toBe(1);
    expect(await stage.item('command:1:ann')).toMatchObject({ state: 'sent', remoteId: '1000' });
  });

  it('and where it has to wait for what has become a part of it', async () => {
    await stage.store.commit([
      task('train'),
      { write: 'run.insert', run: aRun({ id: 'run_1', taskId: 'train', state: 'running' }) },
    ]);
    await stage.owe('command:1:ann', ISSUE);
    await expect(stage.run(stage.start(dyingAtRelease()), MINUTE)).rejects.toThrow('killed');
    const line = (effect: 'stopping' | 'stopped'): Write => ({
      write: 'outbox.line',
      key: 'command:1:ann',
      line: { taskId: 'train', runId: 'run_1', effect, result: 'cancelled' },
    });
    await stage.store.commit([line('stopping')]);
    stage.advance(MINUTE);
    await stage.run(stage.start(), MINUTE);
    await stage.store.commit([line('stopped')]);
    await stage.run(stage.start(), MINUTE);
    expect(stage.comments.size).toBe(1);
    expect(stage.bodiesOf(ISSUE)[0]).toContain('was stopped');
  });

  it('is found by its marker where the answer to its making was lost', async () => {
    await stage.owe('command:1:ann', ISSUE);
    stage.faults.push({ call: 'createComment', error: refusal('retryable', 502), when: 'after' });
    await stage.run(stage.start(), MINUTE);
    expect(stage.comments.size).toBe(1);
    expect((await stage.item('command:1:ann')).state).toBe('sent');
  });

  it('is not made while nobody can tell whether it was made before', async () => {
    await stage.owe('command:1:ann', ISSUE);
    stage.faults.push({ call: 'createComment', error: refusal('retryable', 502), when: 'after' });
    for (let count = 0; count < 3; count += 1) {
      stage.faults.push({ call: 'findComment', error: refusal('retryable', 503), when: 'before' });
    }
    await stage.run(stage.start(), MINUTE);
    expect(stage.writes.filter(({ call }) => call === 'createComment')).toHaveLength(1);
    expect((await stage.item('command:1:ann')).state).toBe('sent');
  });

  it('is not made a second time after it failed and then had to wait for what it tells', async () => {
    await stage.store.commit([
      task('train'),
      { write: 'run.insert', run: aRun({ id: 'run_1', taskId: 'train', state: 'running' }) },
    ]);
    await stage.owe('command:1:ann', ISSUE);
    stage.faults.push({ call: 'createComment', error: refusal('retryable', 502), when: 'after' });
    await stage.run(stage.start(), 500);
    const line = (effect: 'stopping' | 'stopped'): Write => ({
      write: 'outbox.line',
      key: 'command:1:ann',
      line: { taskId: 'train', runId: 'run_1', effect, result: 'cancelled' },
    });
    await stage.store.commit([line('stopping')]);
    await stage.run(stage.start(), MINUTE);
    expect((await stage.item('command:1:ann')).state).toBe('owed');
    await stage.store.commit([line('stopped')]);
    await stage.run(stage.start(), MINUTE);
    expect(stage.bodiesOf(ISSUE)).toHaveLength(1);
    expect(stage.bodiesOf(ISSUE)[0]).toContain('was stopped');
  });

  it('costs no call when it would say the same again', async () => {
    await oweEnded('command:1:ann', 'train');
    await stage.run(stage.start(), MINUTE);
    await stage.owe('command:1:ann', ISSUE);
    await stage.run(stage.start(), MINUTE);
    expect(stage.writes).toHaveLength(1);
    expect((await stage.item('command:1:ann')).state).toBe('sent');
  });

  it('is made again where somebody deleted it, and its making waits for its turn', async () => {
    await oweEnded('command:1:ann', 'train');
    await stage.run(stage.start(), MINUTE);
    stage.comments.clear();
    await oweEnded('command:1:ann', 'test');
    await stage.run(stage.start(), MINUTE);
    expect(stage.bodiesOf(ISSUE)).toHaveLength(1);
    expect(stage.bodiesOf(ISSUE)[0]).toContain('test');
    const [, update, create] = stage.writes;
    expect([update?.call, create?.call]).toEqual(['updateComment', 'createComment']);
    expect(create!.at.getTime() - update!.at.getTime()).toBeGreaterThanOrEqual(1_000);
  });

  it('waits until what it tells was seen', async () => {
    await stage.store.commit([
      task('train'),
      { write: 'run.insert', run: aRun({ id: 'run_1', taskId: 'train', state: 'stopping' }) },
    ]);
    await stage.owe('command:1:ann', ISSUE);
    const line = { taskId: 'train', runId: 'run_1', result: 'cancelled' };
    await stage.store.commit([{ write: 'outbox.line', key: 'command:1:ann', line: { ...line, effect: 'stopping' } }]);
    await stage.run(stage.start(), MINUTE);
    expect(stage.comments.size).toBe(0);
    await stage.store.commit([{ write: 'outbox.line', key: 'command:1:ann', line: { ...line, effect: 'stopped' } }]);
    await stage.owe('command:1:ann', ISSUE);
    await stage.run(stage.start(), 0);
    expect(stage.bodiesOf(ISSUE)).toHaveLength(1);
  });
});

describe('an answer that will not change', () => {
  it.each([
    ['an issue that is gone', refusal('refused', 404)],
    ['a deleted issue', refusal('refused', 410)],
    ['words that are refused', refusal('refused', 422)],
  ])('to %s is given up on, with its reason in the journal', async (_, error) => {
    await stage.owe('command:1:ann', ISSUE);
    await stage.owe('command:2:ann', 13);
    stage.faults.push({ call: 'createComment', number: ISSUE, error, when: 'before' });
    await stage.run(stage.start(), MINUTE);
    expect(await stage.item('command:1:ann')).toMatchObject({ state: 'refused', lastError: error.message });
    const data = { key: 'command:1:ann', message: error.message };
    expect(await stage.events('COMMENT_REFUSED')).toMatchObject([{ issueNumber: ISSUE, data }]);
    expect(stage.bodiesOf(13)).toHaveLength(1);
    expect(stage.writes).toHaveLength(2);
  });

  it('holds nothing of its issue back', async () => {
    await stage.owe('command:1:ann', ISSUE);
    stage.faults.push({ call: 'createComment', error: refusal('refused', 422), when: 'before' });
    await stage.run(stage.start(), MINUTE);
    await stage.owe('command:2:ann', ISSUE);
    await stage.run(stage.start(), MINUTE);
    expect(stage.bodiesOf(ISSUE)).toHaveLength(1);
  });

  it.each([403, 404])('is not what a repository out of reach (%i) is: that may come back', async (status) => {
    await stage.owe('command:1:ann', ISSUE);
    stage.faults.push({ call: 'createComment', error: refusal('lost_access', status), when: 'before' });
    await stage.run(stage.start(), MINUTE);
    expect((await stage.item('command:1:ann')).state).toBe('sent');
  });
});

describe('a locked issue', () => {
  it('keeps its comments back until it is unlocked, and is known as locked', async () => {
    const { number, ...issue } = { ...issueRow(), locked: false };
    await stage.store.commit([{ write: 'issue.insert', issue: { ...issue, number } }]);
    await stage.owe('command:1:ann', ISSUE);
    stage.faults.push({ call: 'createComment', error: refusal('locked', 403), when: 'before' });
    await stage.run(stage.start(), MINUTE);
    expect(await stage.item('command:1:ann')).toMatchObject({ state: 'locked', lastError: 'refused with 403' });
    const ref = { repositoryId: HERE.id, number: ISSUE };
    expect(await stage.store.issue(ref)).toMatchObject({ locked: true });
    expect(await stage.store.trackedIssues(at(0))).toEqual([ref]);
    await stage.run(stage.start(), MINUTE);
    expect(stage.comments.size).toBe(0);
    await stage.store.commit([{ write: 'outbox.unlock', ref, dueAt: stage.now() }]);
    await stage.run(stage.start(), MINUTE);
    expect(stage.bodiesOf(ISSUE)).toHaveLength(1);
  });

  function issueRow() {
    return {
      ...{ repositoryId: HERE.id, number: ISSUE, nodeId: 'I_12', title: 'Train', url: 'https://github.example/12' },
      ...({ state: 'open', reason: 'unknown', closedAt: null, updatedAt: at(0), author: 'ann', actor: null } as const),
      ...({ isPullRequest: false, presence: 'present', movedTo: null, readDue: false, dependsOn: [] } as const),
      ...{ blockedByCount: null, blockersDue: false, observedAt: at(0), version: 1 },
    };
  }
});

describe('the order of an issue’s comments', () => {
  it('is that of their causes, though the first fails a few times', async () => {
    await oweEnded('command:1:ann', 'first');
    for (let count = 0; count < 3; count += 1) {
      stage.faults.push({ call: 'createComment', error: refusal('retryable', 502), when: 'before' });
    }
    await stage.run(stage.start(), 500);
    stage.advance(10);
    await oweEnded('command:2:ann', 'second');
    await stage.owe('command:3:ann', 13);
    await stage.run(stage.start(), MINUTE);
    const bodies = stage.bodiesOf(ISSUE);
    expect(bodies).toHaveLength(2);
    expect(bodies[0]).toContain('first');
    expect(bodies[1]).toContain('second');
    // What is another issue's has not waited for it.
    const numbers = stage.writes.map(({ number }) => number);
    expect(numbers.indexOf(13)).toBeLessThan(numbers.lastIndexOf(ISSUE) - 1);
  });
});

describe('outcomes of one issue that wait together', () => {
  it('become one comment that tells all, in their order', async () => {
    await stage.owe('command:0:ann', 13);
    const sender = stage.start();
    await stage.run(sender, 0);
    for (const name of ['first', 'second', 'third']) {
      await oweEnded(`command:${name}:ann`, name);
      stage.advance(10);
    }
    await stage.run(sender, MINUTE);
    const [body, ...others] = stage.bodiesOf(ISSUE);
    expect(others).toEqual([]);
    const places = ['first', 'second', 'third'].map((name) => body!.indexOf(name));
    expect(places).toEqual([...places].sort((a, b) => a - b));
    expect(Math.min(...places)).toBeGreaterThan(0);
    expect(body!.match(/<!-- standdown:/g)).toHaveLength(1);
    expect((await stage.item('command:third:ann')).state).toBe('sent');
    expect(await stage.events('COMMENT_SENT')).toHaveLength(2);
  });

  it('are edited together when one of them has news', async () => {
    await oweEnded('command:1:ann', 'first');
    await oweEnded('command:2:ann', 'second');
    await stage.run(stage.start(), MINUTE);
    await oweEnded('command:2:ann', 'third');
    await stage.run(stage.start(), MINUTE);
    const [body, ...others] = stage.bodiesOf(ISSUE);
    expect(others).toEqual([]);
    for (const name of ['first', 'second', 'third']) expect(body).toContain(name);
  });

  it('leave out what was not seen to its end, which then has its own', async () => {
    await stage.store.commit([
      task('slow'),
      { write: 'run.insert', run: aRun({ id: 'run_1', taskId: 'slow', state: 'stopping' }) },
    ]);
    const line = { taskId: 'slow', runId: 'run_1', result: 'cancelled' };
    await oweEnded('command:1:ann', 'first');
    await stage.owe('command:2:ann', ISSUE);
    await stage.store.commit([{ write: 'outbox.line', key: 'command:2:ann', line: { ...line, effect: 'stopping' } }]);
    await stage.run(stage.start(), 2_000);
    expect(stage.bodiesOf(ISSUE)).toHaveLength(1);
    await stage.store.commit([{ write: 'outbox.line', key: 'command:2:ann', line: { ...line, effect: 'stopped' } }]);
    await stage.run(stage.start(), MINUTE);
    expect(stage.bodiesOf(ISSUE)).toHaveLength(2);
  });

  it('stay one comment where the sender dies right after it was made', async () => {
    await oweEnded('command:1:ann', 'first');
    await oweEnded('command:2:ann', 'second');
    await expect(stage.run(stage.start(dyingAtRelease()), MINUTE)).rejects.toThrow('killed');
    stage.advance(MINUTE);
    await stage.run(stage.start(), MINUTE);
    expect(stage.bodiesOf(ISSUE)).toHaveLength(1);
    for (const key of ['command:1:ann', 'command:2:ann']) expect((await stage.item(key)).state).toBe('sent');
  });

  it('never go into a comment that people have read already', async () => {
    await oweEnded('command:1:ann', 'first');
    await stage.run(stage.start(), MINUTE);
    await oweEnded('command:2:ann', 'second');
    await oweEnded('command:1:ann', 'more');
    await stage.run(stage.start(), MINUTE);
    expect(stage.bodiesOf(ISSUE)).toHaveLength(2);
    expect(stage.bodiesOf(ISSUE)[0]).not.toContain('second');
  });
});

describe('signs', () => {
  const said = (state: CommandComment['state']): Write => ({
    write: 'comment.insert',
    comment: {
      ...{
        id: '900',
        repositoryId: HERE.id,
        number: ISSUE,
        author: 'ann',
        isBot: false,
        app: null,
        body: '/task done',
      },
      ...({ createdAt: at(0), learnedAt: at(0), source: 'webhook', permission: null, dropped: 0 } as const),
      ...{ state, commands: [], version: 1 },
    },
  });

  it('that a comment was seen are given while it is not answered', async () => {
    await stage.store.commit([said('due')]);
    await stage.owe('reaction:900:eyes', ISSUE, { kind: 'reaction' });
    await stage.run(stage.start(), MINUTE);
    expect(stage.reactions).toEqual(['900:eyes']);
  });

  it('that a comment was seen cost no call once it is answered', async () => {
    await stage.store.commit([said('handled')]);
    await stage.owe('reaction:900:eyes', ISSUE, { kind: 'reaction' });
    await stage.owe('reaction:900:rocket', ISSUE, { kind: 'reaction' });
    await stage.run(stage.start(), MINUTE);
    expect(stage.reactions).toEqual(['900:rocket']);
    expect(stage.writes).toHaveLength(1);
    expect((await stage.item('reaction:900:eyes')).state).toBe('sent');
  });
});

it('nothing is claimed where GitHub can only be read', async () => {
  await stage.owe('command:1:ann', ISSUE);
  const { findComment: _, ...reader } = stage.deps.github!;
  await stage.run(stage.start({ github: reader }), 0);
  expect(await stage.item('command:1:ann')).toMatchObject({ state: 'owed', failures: 0 });
});
