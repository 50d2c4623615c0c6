/** A comment acts once, whoever tells of it and how often; and only as long as it says what was said. */
import { beforeEach, describe, expect, it } from 'vitest';
import { handleComments } from '../../../src/engine/commands/handle.ts';
import { sweepComments } from '../../../src/engine/commands/sweep-comments.ts';
import { GitHubError } from '../../../src/engine/ports.ts';
import { processDeliveries } from '../../../src/engine/process-deliveries.ts';
import { at } from '../../support/builders.ts';
import { ISSUE, makeStage, OUR_APP, outcomesOf, REPOSITORY, type Stage, signsOn } from '../../support/comment-stage.ts';

const REF = { repositoryId: REPOSITORY.id, number: ISSUE };
let stage: Stage;

beforeEach(async () => {
  stage = await makeStage();
  await stage.put({ id: 'task_train' }, {});
});

describe('one comment', () => {
  it('is carried out, answered and signed, and journalled with its author and what they hold', async () => {
    const row = await stage.say('/task cancel', { id: '5', author: 'tom' });
    expect(row).toMatchObject({ state: 'handled', permission: 'triage', source: 'webhook' });
    expect(outcomesOf(row)).toEqual([{ result: 'acted' }]);
    expect(await stage.task('task_train')).toMatchObject({
      target: { becomes: 'ended', effect: 'reply:5', ending: { state: 'cancelled', cause: 'command', actor: 'tom' } },
    });
    expect(await stage.owed()).toEqual({
      'reaction:5:eyes': 'reaction',
      'reaction:5:rocket': 'reaction',
      'reply:5': 'reply',
    });
    const [event] = await stage.events('COMMAND_ACCEPTED');
    expect(event).toMatchObject({ issueNumber: ISSUE, data: { verb: 'cancel', actor: 'tom', permission: 'triage' } });
  });

  it('acts once, however many deliveries, hooks, sweeps and restarts carry it', async () => {
    await stage.put({ id: 'task_eval', state: 'failed', finishedAt: at(0) });
    const comment = stage.write('/task retry eval');
    await stage.tell(comment, 'app-hook');
    await stage.tell(comment, 'repository-hook');
    await sweepComments(stage.deps);
    await stage.work();
    await stage.tell(comment, 'redelivered');
    await sweepComments(stage.deps);
    await stage.work();
    await handleComments(stage.deps, REF);
    expect(await stage.task('task_eval')).toMatchObject({ generation: 2 });
    expect(await stage.events('TASK_REQUEUED')).toHaveLength(1);
    expect(await stage.events('COMMAND_ACCEPTED')).toHaveLength(1);
  });

  it('acts once where two apps carry it out at the same time', async () => {
    for (const id of ['task_a', 'task_b', 'task_c']) await stage.put({ id, state: 'failed', finishedAt: at(0) });
    await stage.tell(stage.write('/task retry a\n/task retry b\n/task retry c'));
    await Promise.all([1, 2, 3].map(() => handleComments(stage.deps, REF)));
    await stage.work();
    expect(await stage.events('TASK_REQUEUED')).toHaveLength(3);
    expect(await stage.events('COMMAND_ACCEPTED')).toHaveLength(3);
  });

  it('is carried out after those that were written before it, whatever order they arrive in', async () => {
    stage.setTime(200);
    const [first, second] = [
      stage.write('/task hold', { createdAt: at(150) }),
      stage.write('/task release', { createdAt: at(160) }),
    ];
    await stage.tell(second);
    await stage.tell(first);
    await stage.work();
    expect(await stage.task('task_train')).toMatchObject({ hold: null });
    expect((await stage.events('COMMAND_ACCEPTED')).map(({ data }) => data.verb)).toEqual(['hold', 'release']);
  });

  it('that says nothing to us leaves no row, no work and no sign', async () => {
    for (const body of ['fine by me', '`/task cancel`', '> /task cancel', '/tasks', '/task-run', 'see /task cancel']) {
      expect(await stage.say(body)).toBeNull();
    }
    expect(await stage.owed()).toEqual({});
  });

  it('with a character that no database keeps is nobody’s command, and keeps none behind it waiting', async () => {
    expect(await stage.say('/task cancel\n\0')).toBeNull();
    expect(await stage.say('/task cancel')).toMatchObject({ state: 'handled' });
  });
});

it('a database that fails for a moment loses no command, and hears of it once', async () => {
  const { store } = stage.deps;
  const { commit } = store;
  let failures = 1;
  stage.deps.store = {
    ...store,
    commit: async (writes) => {
      failures -= 1;
      if (failures >= 0) throw new Error('busy');
      return commit(writes);
    },
  };
  expect(await stage.say('/task cancel')).toMatchObject({ state: 'handled' });
  expect(await stage.events('COMMAND_ACCEPTED')).toHaveLength(1);
});

it('a command waits in the inbox while the database takes no writes', async () => {
  const { store } = stage.deps;
  const down = async () => {
    throw new Error('down');
  };
  stage.deps.store = { ...store, commit: down, check: down };
  const comment = stage.write('/task cancel', { id: '5' });
  await expect(stage.tell(comment)).rejects.toThrow('down');
  stage.deps.store = store;
  await processDeliveries(stage.deps);
  await stage.work();
  expect(await store.comment('5')).toMatchObject({ state: 'handled' });
});

describe('a comment that was changed', () => {
  it.each([
    ['its words', { body: '/task cancel train' }],
    ['its author', { author: 'tom' }],
    ['anything, by its time', { updatedAt: at(101) }],
  ])('in %s before it is read is refused', async (_what, change) => {
    const comment = stage.write('/task cancel', { id: '5' });
    await stage.tell(comment);
    stage.comments.set('5', { ...comment, ...change });
    await stage.work();
    expect(outcomesOf(await stage.store.comment('5'))).toMatchObject([{ result: 'refused', why: 'edited' }]);
    expect(await stage.task('task_train')).toMatchObject({ target: null });
    expect(await signsOn(stage, '5')).toEqual(['eyes', 'confused']);
  });

  it('by deleting it does nothing, and nobody is answered', async () => {
    const comment = stage.write('/task cancel', { id: '5' });
    await stage.tell(comment);
    stage.comments.delete('5');
    await stage.work();
    expect(await stage.store.comment('5')).toMatchObject({ state: 'ignored' });
    expect(await stage.task('task_train')).toMatchObject({ target: null });
    expect(await stage.owed()).toEqual({ 'reaction:5:eyes': 'reaction' });
  });

  it('that is new and not there yet is looked for again', async () => {
    const comment = stage.write('/task cancel', { id: '5' });
    await stage.tell(comment);
    stage.comments.delete('5');
    await expect(handleComments(stage.deps, REF)).rejects.toThrow(GitHubError);
    stage.comments.set('5', comment);
    await stage.work();
    expect(await stage.store.comment('5')).toMatchObject({ state: 'handled' });
  });
});

describe('a prefix in the repository’s file', () => {
  beforeEach(() => stage.files.push('command_prefix: bot'));

  it('counts for the first comment, before the file was ever read', async () => {
    expect(await stage.say('/task cancel', { id: '5' })).toMatchObject({ state: 'ignored', commands: [] });
    expect(await signsOn(stage, '5')).toEqual([]);
    expect(outcomesOf(await stage.say('/bot task cancel', { id: '6' }))).toEqual([{ result: 'acted' }]);
    expect(await signsOn(stage, '6')).toEqual(['eyes', 'rocket']);
  });

  it('is waited for while the file can’t be read, and what needs none is not', async () => {
    stage.failing.set('readFile', new GitHubError('retryable', 'no answer'));
    await stage.tell(stage.write('/bot task cancel', { id: '5' }));
    await expect(handleComments(stage.deps, REF)).rejects.toThrow('no answer');
    expect(await stage.store.comment('5')).toMatchObject({ state: 'due' });
    stage.failing.delete('readFile');
    await stage.work();
    expect(await stage.task('task_train')).toMatchObject({ target: { becomes: 'ended' } });
  });
});

it.each([
  ['65 kB of text around it', `${'words '.repeat(5_400)}\n\n/task cancel\n\n${'words '.repeat(5_400)}`],
  ['CRLF', 'well\r\n/task cancel\r\nthanks'],
  ['a byte order mark', '\uFEFF/task cancel'],
])('a command is found in %s', async (_what, body) => {
  expect(outcomesOf(await stage.say(body))).toEqual([{ result: 'acted' }]);
});

it.each([
  '__proto__',
  'constructor',
  '../train',
  'task_',
  'train;reboot',
  '$(id)',
  'Train',
  'tr\u0430in',
  'train\u200B',
])('the name %s means no task', async (name) => {
  const [outcome] = outcomesOf(await stage.say(`/task cancel ${name}`));
  expect(outcome).toMatchObject({ result: 'refused', why: 'other' });
  expect(await stage.task('task_train')).toMatchObject({ target: null });
});

describe('the sweep', () => {
  it('finds what no webhook told of', async () => {
    stage.write('/task cancel', { id: '5' });
    await sweepComments(stage.deps);
    await stage.work();
    expect(await stage.store.comment('5')).toMatchObject({ state: 'handled', source: 'sweep' });
    expect(await stage.task('task_train')).toMatchObject({ target: { becomes: 'ended' } });
  });

  it('never executes an edited comment, and says nothing of it', async () => {
    stage.write('/task cancel', { id: '5', updatedAt: at(101) });
    await sweepComments(stage.deps);
    await stage.work();
    expect(await stage.store.comment('5')).toBeNull();
    expect(await stage.task('task_train')).toMatchObject({ target: null });
  });

  it('begins when a repository is first seen, and moves on with an overlap', async () => {
    const other = { id: '8', fullName: 'acme/other', installationId: 1 };
    await stage.store.commit([{ write: 'repository.put', repository: other }]);
    stage.setTime(1_000);
    await sweepComments(stage.deps);
    expect(await stage.store.commentsSince('8')).toEqual(at(1_000));
    expect(await stage.store.commentsSince('7')).toEqual(at(940));
    stage.setTime(1_010);
    await sweepComments(stage.deps);
    expect(await stage.store.commentsSince('8')).toEqual(at(1_000));
  });

  it('goes on with the others where one repository can’t be read, and its place stays', async () => {
    stage.failing.set('readComments', new GitHubError('retryable', 'not now'));
    const [error, ...more] = await sweepComments(stage.deps);
    expect(error).toMatchObject({ code: 'retryable', message: 'comments of acme/widgets: not now' });
    expect(more).toEqual([]);
    expect(await stage.store.commentsSince('7')).toEqual(at(0));
  });

  it('fills no journal with a repository that the App has been taken from', async () => {
    stage.failing.set('readComments', new GitHubError('lost_access', 'not for you'));
    expect(await sweepComments(stage.deps)).toEqual([]);
    expect(await stage.store.commentsSince('7')).toEqual(at(0));
  });

  it('says nothing on a pull request', async () => {
    const issue = stage.issues.get(ISSUE);
    if (issue !== undefined) stage.issues.set(30, { ...issue, number: 30, nodeId: 'PR_30', isPullRequest: true });
    stage.write('/task status', { id: '5', number: 30 });
    await sweepComments(stage.deps);
    await stage.work();
    expect(await stage.store.comment('5')).toMatchObject({ state: 'ignored' });
    expect(Object.keys(await stage.owed())).not.toContain('reply:5');
  });
});

describe('a repository that was never seen', () => {
  it('is kept with the comment, and its comments are listed from then on', async () => {
    const store = stage.store;
    const other = { id: '8', fullName: 'acme/other', installationId: 1 };
    stage.deps.interpret = () => ({
      kind: 'comment',
      ref: { repositoryId: '8', number: ISSUE },
      repository: other,
      comment: stage.write('/task status', { id: '6' }),
    });
    await stage.tell(stage.write('/task status', { id: '6' }));
    expect(await store.repository('8')).toEqual(other);
    expect(await store.commentsSince('8')).toEqual(at(100));
    expect(await store.comment('6')).toMatchObject({ repositoryId: '8', state: 'due' });
  });
});

describe('who is never heard', () => {
  it.each([
    ['a bot', { author: 'dependabot[bot]', isBot: true, app: 'dependabot' }],
    ['a bot of no App', { author: 'robot', isBot: true }],
    ['an App that nobody trusts', { author: 'ann', app: 'phone' }],
    ['our own App', { author: `${OUR_APP}[bot]`, isBot: true, app: OUR_APP }],
    ['somebody who is gone', { author: null }],
  ])('%s', async (_who, set) => {
    expect(await stage.say('/task cancel', set)).toBeNull();
    expect(await stage.owed()).toEqual({});
  });

  it('our own words, whoever’s token they were written with', async () => {
    expect(await stage.say('<!-- standdown:reply 5 -->\n/task cancel')).toBeNull();
  });

  it('our own App, even where the operator lists it', async () => {
    stage.trusted.push(OUR_APP);
    const row = await stage.say('/task cancel', { author: `${OUR_APP}[bot]`, isBot: true, app: OUR_APP });
    expect(row).toMatchObject({ state: 'ignored' });
    expect(await stage.task('task_train')).toMatchObject({ target: null });
  });

  it('but an App that the operator trusts is, with what its account holds', async () => {
    stage.trusted.push('planner');
    const bot = { author: 'planner[bot]', isBot: true, app: 'planner' };
    expect(outcomesOf(await stage.say('/task cancel', bot))).toMatchObject([{ why: 'not_permitted' }]);
    stage.roles.set('planner[bot]', 'write');
    expect(outcomesOf(await stage.say('/task cancel', bot))).toEqual([{ result: 'acted' }]);
  });
});
