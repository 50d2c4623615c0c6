import { beforeEach, describe, expect, it } from 'vitest';
import type { RepositoryState, Write } from '../../../src/engine/ports.ts';
import { type Current, inSeconds } from './context.ts';
import { append, putRepository, repository, T0 } from './records.ts';

const repositoryId = repository.id;
const unknown: RepositoryState = {
  ...repository,
  commentsSince: null,
  issuesSince: null,
  issuesEtag: null,
  sweptAt: null,
  verifiedAt: null,
  sweepProblem: null,
  access: 'ok',
  accessSince: null,
};

type Set = Extract<Write, { write: 'repository.state' }>['set'];
const state = (set: Set, id = repositoryId): Write => ({ write: 'repository.state', repositoryId: id, set });
const since = (from: Date | null, to: Date, etag: string | null = null): Write => {
  return { write: 'issues.since', repositoryId, from, to, etag };
};

export function describeRepositoryState(current: Current): void {
  describe('what is known of a repository', () => {
    const read = () => current().store.repositoryState(repositoryId);

    beforeEach(async () => {
      await current().store.commit([putRepository]);
    });

    it('is nothing but its name at first, and null of one that was never seen', async () => {
      expect(await read()).toEqual(unknown);
      expect(await current().store.repositoryState('9')).toBeNull();
    });

    it('is kept, each part for itself', async () => {
      const { store } = current();
      const sweepProblem = {
        look: 'changes' as const,
        code: 'retryable',
        message: '502 “é”',
        since: T0,
        failures: 3,
        nextTryAt: inSeconds(current(), 9),
      };
      await store.commit([state({ sweptAt: T0, sweepProblem })]);
      await store.commit([state({ verifiedAt: inSeconds(current(), 1) })]);
      await store.commit([state({ access: 'suspended', accessSince: inSeconds(current(), 2) })]);
      await store.commit([{ write: 'comments.since', repositoryId, from: null, to: inSeconds(current(), 3) }]);
      expect(await read()).toEqual({
        ...unknown,
        ...{ sweptAt: T0, sweepProblem, verifiedAt: inSeconds(current(), 1) },
        ...{ access: 'suspended', accessSince: inSeconds(current(), 2), commentsSince: inSeconds(current(), 3) },
      });
    });

    it('forgets a problem and a time that are set to null', async () => {
      const { store } = current();
      const sweepProblem = {
        look: 'changes' as const,
        code: 'gone',
        message: 'no',
        since: T0,
        failures: 1,
        nextTryAt: T0,
      };
      await store.commit([state({ sweptAt: T0, verifiedAt: T0, sweepProblem })]);
      await store.commit([state({ sweepProblem: null, verifiedAt: null })]);
      expect(await read()).toEqual({ ...unknown, sweptAt: T0 });
    });

    it('forgets since when a repository could not be reached once it can be', async () => {
      const { store } = current();
      await store.commit([state({ access: 'gone', accessSince: T0 })]);
      await store.commit([state({ access: 'ok' })]);
      expect(await read()).toEqual(unknown);
    });

    it.each([
      ['another name', { fullName: 'acme/gadgets' }],
      ['another installation', { installationId: 78 }],
      ['no installation', { installationId: null }],
    ])('stays when the repository has %s', async (_, news) => {
      const { store } = current();
      const set: Set = { sweptAt: T0, verifiedAt: T0, access: 'suspended', accessSince: T0 };
      await store.commit([state(set), since(null, T0, '"e"')]);
      await store.commit([{ write: 'comments.since', repositoryId, from: null, to: T0 }]);
      await store.commit([{ write: 'repository.put', repository: { ...repository, ...news } }]);
      const cursors = { issuesSince: T0, issuesEtag: '"e"', commentsSince: T0 };
      expect(await read()).toEqual({ ...unknown, ...news, ...set, ...cursors });
    });

    it('is no guard: of a repository that was never seen nothing is kept, and the rest is written', async () => {
      const { store } = current();
      expect(await store.commit([state({ sweptAt: T0 }, '9'), append()])).toBe(true);
      expect(await store.repositoryState('9')).toBeNull();
      expect(await store.queries.events(null, 9)).toHaveLength(1);
    });

    it('moves the place that issues are listed from, with its validator, only from where it was', async () => {
      const { store } = current();
      const later = inSeconds(current(), 60);
      expect(await store.commit([since(null, T0, 'W/"first"')])).toBe(true);
      expect(await read()).toMatchObject({ issuesSince: T0, issuesEtag: 'W/"first"' });
      expect(await store.commit([since(null, later, '"second"'), append()])).toBe(false);
      expect(await store.commit([since(later, later, '"second"'), append()])).toBe(false);
      expect(await read()).toMatchObject({ issuesSince: T0, issuesEtag: 'W/"first"' });
      expect(await store.queries.events(null, 9)).toEqual([]);
      expect(await store.commit([since(T0, later)])).toBe(true);
      expect(await read()).toMatchObject({ issuesSince: later, issuesEtag: null });
    });

    it('moves that place for one of several who saw the same one', async () => {
      const { store } = current();
      const to = (seconds: number) => since(null, inSeconds(current(), seconds));
      const moved = await Promise.all([1, 2, 3, 4].map((seconds) => store.commit([to(seconds), append()])));
      expect(moved.filter(Boolean)).toHaveLength(1);
      expect(await store.queries.events(null, 9)).toHaveLength(1);
    });

    it('moves no place of a repository that was never seen', async () => {
      const write: Write = { write: 'issues.since', repositoryId: '9', from: null, to: T0, etag: null };
      expect(await current().store.commit([write])).toBe(false);
    });

    it('is given of all that were ever seen, by id', async () => {
      const { store } = current();
      const other = { id: '1000', fullName: 'acme/gadgets', installationId: null };
      await store.commit([{ write: 'repository.put', repository: other }, state({ sweptAt: T0 })]);
      const states = await store.repositoryStates();
      expect(states).toEqual([
        { ...unknown, ...other },
        { ...unknown, sweptAt: T0 },
      ]);
    });
  });
}
