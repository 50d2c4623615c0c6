/** Who may say what: by what GitHub says that they hold now, by the repository's file, or as the issue's author. */
import { beforeEach, describe, expect, it } from 'vitest';
import { PERMISSIONS } from '../../../src/core/policy.ts';
import { GitHubError } from '../../../src/engine/ports.ts';
import { at } from '../../support/builders.ts';
import { makeStage, outcomesOf, type Stage, signsOn } from '../../support/comment-stage.ts';

let stage: Stage;

beforeEach(async () => {
  stage = await makeStage();
  await stage.put({ id: 'task_train' }, {});
});

const DEFAULTS = [
  ['run train', 'write'],
  ['retry', 'write'],
  ['release', 'write'],
  ['skip', 'write'],
  ['answer yes', 'write'],
  ['link task_x', 'write'],
  ['unlink train', 'write'],
  ['cancel', 'triage'],
  ['done', 'triage'],
  ['hold', 'triage'],
  ['block why?', 'triage'],
  ['logs', 'triage'],
  ['status', 'read'],
  ['help', 'read'],
  ['nonsense', 'read'],
] as const;

it.each(DEFAULTS)('/task %s needs %s permission, and no less', async (said, needed) => {
  for (const held of PERMISSIONS) {
    stage.roles.set('paul', held);
    const [outcome] = outcomesOf(await stage.say(`/task ${said}`, { author: 'paul' }));
    const refused = outcome?.result === 'refused' && outcome.why === 'not_permitted';
    expect({ held, refused }).toEqual({ held, refused: PERMISSIONS.indexOf(held) < PERMISSIONS.indexOf(needed) });
  }
});

it.each(['run nightly', 'resume', 'cancel', 'status'])('/batch %s asks for the same as its verb', async (said) => {
  const [verb = ''] = said.split(' ');
  stage.roles.set('paul', 'none');
  stage.files.push(`permissions: { ${verb}: maintain }`);
  for (const [held, why] of [
    ['write', 'not_permitted'],
    ['maintain', 'other'],
  ] as const) {
    stage.roles.set('paul', held);
    await stage.say('/task status');
    expect(outcomesOf(await stage.say(`/batch ${said}`, { author: 'paul' }))).toMatchObject([{ why }]);
  }
});

describe('somebody who may not', () => {
  it('is told what is needed and what they hold', async () => {
    const row = await stage.say('/task skip', { id: '5', author: 'tom' });
    const words = 'skip needs write permission, and tom holds triage';
    expect(outcomesOf(row)).toEqual([{ result: 'refused', why: 'not_permitted', words }]);
    expect(await signsOn(stage, '5')).toContain('confused');
    expect(Object.keys(await stage.owed())).toContain('reply:5');
    expect(await stage.events('COMMAND_REFUSED')).toMatchObject([
      { data: { actor: 'tom', verb: 'skip', permission: 'triage', why: 'not_permitted' } },
    ]);
  });

  it('and is a stranger, gets a sign and no comment', async () => {
    const row = await stage.say('/task cancel\n/task help\n/task nonsense', { id: '5', author: 'stranger' });
    expect(row).toMatchObject({ state: 'handled', permission: 'none' });
    expect(await signsOn(stage, '5')).toContain('confused');
    expect(Object.keys(await stage.owed())).not.toContain('reply:5');
    expect(await stage.task('task_train')).toMatchObject({ target: null });
  });

  it('may still say what they may, in the same comment', async () => {
    const row = await stage.say('/task skip\n/task cancel', { id: '5', author: 'tom' });
    expect(outcomesOf(row)).toMatchObject([{ why: 'not_permitted' }, { result: 'acted' }]);
    expect(await signsOn(stage, '5')).toContain('confused');
  });
});

describe('permissions of the repository’s file', () => {
  it('count as they are when the command starts something, without any push told of', async () => {
    await stage.say('/task status');
    stage.files.push('permissions: { done: admin }');
    expect(outcomesOf(await stage.say('/task done'))).toMatchObject([{ why: 'not_permitted' }]);
  });

  it('that need nothing let strangers in', async () => {
    stage.files.push('permissions: { status: none }');
    const row = await stage.say('/task status', { author: 'stranger' });
    expect(outcomesOf(row)).toEqual([{ result: 'status' }]);
  });
});

describe('the issue’s author', () => {
  beforeEach(() => stage.files.push('permissions: { author: [cancel, retry] }'));

  it('may do what the file lists, on tasks that are linked to the issue', async () => {
    const row = await stage.say('/task cancel', { id: '5', author: 'olga' });
    expect(outcomesOf(row)).toEqual([{ result: 'acted' }]);
    expect(await stage.task('task_train')).toMatchObject({ target: { ending: { actor: 'olga' } } });
  });

  it('may do nothing else, and is told so', async () => {
    const row = await stage.say('/task skip', { id: '5', author: 'olga' });
    expect(outcomesOf(row)).toMatchObject([{ why: 'not_permitted' }]);
    expect(Object.keys(await stage.owed())).toContain('reply:5');
  });

  it('may not touch tasks of other issues, nor batches', async () => {
    await stage.put({ id: 'task_far', issueNumber: 30 }, {});
    const row = await stage.say('/task cancel far\n/task cancel task_far\n/batch cancel', { author: 'olga' });
    expect(outcomesOf(row)).toMatchObject(Array(3).fill({ result: 'refused', why: 'not_permitted' }));
    expect(await stage.task('task_far')).toMatchObject({ target: null });
  });

  it('is nobody else', async () => {
    expect(outcomesOf(await stage.say('/task cancel', { author: 'stranger' }))).toMatchObject([
      { why: 'not_permitted' },
    ]);
  });
});

describe('a delivery that tells another story of a comment than GitHub shows', () => {
  it.each([
    ['on another issue', { number: 30 }],
    ['long ago', { createdAt: at(1), updatedAt: at(1) }],
    ['through an App that nobody trusts', { app: 'helper' }],
  ])('is nobody’s word, where it was said %s', async (_, set) => {
    const told = stage.write('/task cancel', { id: '5' });
    stage.comments.set('5', { ...told, ...set });
    await stage.tell(told);
    await stage.work();
    expect(await stage.store.comment('5')).toMatchObject({ state: 'ignored' });
    expect(await stage.task('task_train')).toMatchObject({ target: null });
    expect(Object.keys(await stage.owed()).filter((key) => !key.endsWith(':eyes'))).toEqual([]);
  });
});

describe('where GitHub does not tell', () => {
  it.each(['readPermission', 'readComment'])('%s is asked for some time, and then nothing happens', async (call) => {
    stage.failing.set(call, new GitHubError('retryable', 'no answer'));
    const row = await stage.say('/task cancel', { id: '5' });
    expect(outcomesOf(row)).toMatchObject([{ result: 'refused', why: 'unreadable' }]);
    expect(stage.calls.get(call)).toBe(4);
    expect(await stage.task('task_train')).toMatchObject({ target: null });
    expect(Object.keys(await stage.owed())).toContain('reply:5');
  });

  it('a permission that can be read a moment later is enough', async () => {
    stage.failing.set('readPermission', new GitHubError('throttled', 'slow down'));
    const read = stage.deps.github?.readPermission;
    let asked = 0;
    Object.assign(stage.deps.github ?? {}, {
      readPermission: (...args: Parameters<NonNullable<typeof read>>) => {
        asked += 1;
        if (asked === 3) stage.failing.delete('readPermission');
        return read?.(...args);
      },
    });
    expect(outcomesOf(await stage.say('/task cancel'))).toEqual([{ result: 'acted' }]);
  });

  it('no access is no reason to ask twice', async () => {
    stage.failing.set('readPermission', new GitHubError('lost_access', 'not yours'));
    expect(outcomesOf(await stage.say('/task cancel'))).toMatchObject([{ why: 'unreadable' }]);
    expect(stage.calls.get('readPermission')).toBe(1);
  });
});
