/** The repository that a token is given for is followed from the first sweep on. */
import { beforeEach, expect, it } from 'vitest';
import { findConfigured } from '../../src/engine/find-repository.ts';
import { GitHubError } from '../../src/engine/ports.ts';
import { makeStage, REPOSITORY, type Stage } from '../support/comment-stage.ts';

const NEW = { id: '99', fullName: 'acme/fresh', installationId: null };
let stage: Stage;
let asked: number;

beforeEach(async () => {
  stage = await makeStage();
  asked = 0;
  stage.deps.configuredRepository = NEW.fullName;
});

function answer(find: () => Promise<typeof NEW | null>): void {
  stage.deps.github = {
    ...stage.deps.github!,
    findRepository: async () => {
      asked += 1;
      return find();
    },
  };
}

it('is known, with its comments listed from then on, and asked for once', async () => {
  answer(async () => NEW);
  await findConfigured(stage.deps);
  await findConfigured(stage.deps);
  expect(await stage.store.repositoryByName(NEW.fullName)).toEqual(NEW);
  expect(await stage.store.commentsSince(NEW.id)).toBeInstanceOf(Date);
  expect(asked).toBe(1);
});

it('that can’t be read, or is not there, keeps no sweep from the others and is asked for again', async () => {
  answer(async () => {
    throw new GitHubError('retryable', 'no answer');
  });
  await findConfigured(stage.deps);
  answer(async () => null);
  await findConfigured(stage.deps);
  expect(await stage.store.repositoryByName(NEW.fullName)).toBeNull();
  expect(asked).toBe(2);
});

it('that is known already is not asked for', async () => {
  stage.deps.configuredRepository = REPOSITORY.fullName;
  answer(async () => null);
  await findConfigured(stage.deps);
  expect(asked).toBe(0);
});
