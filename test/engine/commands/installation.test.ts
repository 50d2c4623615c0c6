/** Through which installation of the App a comment's repository is reached, whoever told of it first. */
import { beforeEach, describe, expect, it } from 'vitest';
import { sweepComments } from '../../../src/engine/commands/sweep-comments.ts';
import type { Deps } from '../../../src/engine/deps.ts';
import { GitHubError, type Hint, type RepositoryRef, type SeenComment } from '../../../src/engine/ports.ts';
import { at } from '../../support/builders.ts';
import { makeStage, outcomesOf, type Stage } from '../../support/comment-stage.ts';

const NEW: RepositoryRef = { id: '8', fullName: 'acme/gadgets', installationId: 2 };
const BY_ITS_OWN_HOOK = { ...NEW, installationId: null };

let stage: Stage;
let told: RepositoryRef;
let found: RepositoryRef | null;
let asked: (number | null)[];

beforeEach(async () => {
  stage = await makeStage();
  told = NEW;
  found = NEW;
  asked = [];
  const github = stage.deps.github as NonNullable<Deps['github']>;
  const { readPermission } = github;
  Object.assign(stage.deps, {
    interpret: (_event: string, payload: unknown): Hint => {
      const { comment } = payload as { comment: SeenComment };
      const [createdAt, updatedAt] = [new Date(comment.createdAt), new Date(comment.updatedAt)];
      const ref = { repositoryId: told.id, number: comment.number };
      return { kind: 'comment', ref, repository: told, comment: { ...comment, createdAt, updatedAt } };
    },
  });
  Object.assign(github, {
    findRepository: async () => found,
    readPermission: async (repository: RepositoryRef, login: string) => {
      asked.push(repository.installationId);
      return readPermission(repository, login);
    },
  });
});

describe('a repository whose own webhook tells of it first', () => {
  it('is reached through the installation that the App has there', async () => {
    told = BY_ITS_OWN_HOOK;
    expect(outcomesOf(await stage.say('/task status'))).toEqual([{ result: 'status' }]);
    expect(asked).toEqual([2]);
    expect(await stage.store.repository('8')).toEqual(NEW);
  });

  it('without the App gets no answer, since nobody could give one', async () => {
    [told, found] = [BY_ITS_OWN_HOOK, null];
    expect(await stage.say('/task status', { id: '5' })).toMatchObject({ state: 'ignored' });
    expect(Object.keys(await stage.owed())).not.toContain('reply:5');
  });

  it('is asked about again while GitHub gives no answer', async () => {
    told = BY_ITS_OWN_HOOK;
    let tries = 0;
    Object.assign(stage.deps.github ?? {}, {
      findRepository: async () => {
        tries += 1;
        if (tries < 3) throw new GitHubError('retryable', 'no answer');
        return NEW;
      },
    });
    expect(outcomesOf(await stage.say('/task status'))).toEqual([{ result: 'status' }]);
  });

  it('stays as it is for the owner of a token, who needs no installation', async () => {
    told = BY_ITS_OWN_HOOK;
    found = BY_ITS_OWN_HOOK;
    expect(outcomesOf(await stage.say('/task status'))).toEqual([{ result: 'status' }]);
    expect(asked).toEqual([null]);
  });
});

describe('a repository that is known', () => {
  beforeEach(() => stage.store.commit([{ write: 'repository.put', repository: { ...NEW, installationId: 1 } }]));

  it('on which the App was installed anew, is reached through the new installation', async () => {
    await stage.say('/task status');
    expect(asked).toEqual([2]);
  });

  it('keeps its name and installation, whatever a webhook says of them', async () => {
    found = { ...NEW, installationId: 1 };
    told = { ...NEW, fullName: 'eve/gadgets', installationId: 9 };
    expect(outcomesOf(await stage.say('/task status'))).toEqual([{ result: 'status' }]);
    expect(asked).toEqual([1]);
    expect(await stage.store.repository('8')).toEqual(found);
  });

  it('goes by the name that it has now', async () => {
    found = { ...NEW, fullName: 'acme/renamed' };
    await stage.say('/task status');
    expect(await stage.store.repository('8')).toEqual(found);
  });

  it('is asked for what may be read of it where GitHub does not tell whether that is it', async () => {
    Object.assign(stage.deps.github ?? {}, {
      findRepository: async () => {
        throw new GitHubError('lost_access', 'not yours');
      },
    });
    await stage.say('/task status');
    expect(asked).toEqual([1]);
  });
});

it('a webhook that names another repository than that of its id says nothing', async () => {
  told = { ...NEW, fullName: 'eve/gadgets' };
  found = { ...NEW, id: '66', fullName: 'eve/gadgets' };
  expect(await stage.say('/task status', { id: '5' })).toMatchObject({ state: 'ignored' });
});

describe('a comment that a listing shows', () => {
  beforeEach(async () => {
    await stage.store.commit([
      { write: 'repository.put', repository: NEW },
      { write: 'comments.since', repositoryId: NEW.id, from: null, to: at(0) },
    ]);
    // The other one has none.
    const { readComments } = stage.deps.github ?? {};
    Object.assign(stage.deps.github ?? {}, {
      readComments: async (repository: RepositoryRef, since: Date) =>
        repository.id === NEW.id ? (readComments?.(repository, since) ?? []) : [],
    });
  });

  it('is of the repository whose name was asked for', async () => {
    stage.write('/task status', { id: '5' });
    await sweepComments(stage.deps);
    await stage.work();
    expect(outcomesOf(await stage.store.comment('5'))).toEqual([{ result: 'status' }]);
  });

  it('and says nothing where another repository bears that name by now', async () => {
    found = { id: '99', fullName: NEW.fullName, installationId: 2 };
    stage.write('/task status', { id: '5' });
    await sweepComments(stage.deps);
    await stage.work();
    expect(await stage.store.comment('5')).toMatchObject({ state: 'ignored' });
    expect(Object.keys(await stage.owed())).not.toContain('reply:5');
  });
});
