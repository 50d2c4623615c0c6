import { beforeEach, describe, expect, it } from 'vitest';
import type { CommandComment } from '../../../src/core/comment.ts';
import type { StoredFile, Write } from '../../../src/engine/ports.ts';
import { type Current, inSeconds } from './context.ts';
import { append, insertBatch, makeBatch, makeComment, putRepository, repository, T0 } from './records.ts';

const issue = { repositoryId: repository.id, number: 12 };
const failing: Write = { write: 'task.update', id: 'no-such-task', version: 1, set: {} };
const insert = (given: Partial<CommandComment> = {}): Write => ({
  write: 'comment.insert',
  comment: makeComment(given),
});
const idsOf = (items: readonly { id: string }[]) => items.map(({ id }) => id);

export function describeComments(current: Current): void {
  describe('comments', () => {
    beforeEach(async () => {
      await current().store.commit([putRepository]);
    });

    it('keeps a comment as it was said, with what each command became', async () => {
      const { store } = current();
      const comment = makeComment({
        ...{ author: null, isBot: true, app: 'helper', permission: 'triage', source: 'sweep', dropped: 3 },
        body: '/task cancel\r\n> “quoted” 🚂\n',
        commands: [
          {
            line: '/task cancel',
            said: { of: 'task', verb: 'cancel', task: null },
            tasks: [{ taskId: 'task-1', key: 'train', accepted: true, conflict: null }],
            outcome: { result: 'acted' },
          },
        ],
      });
      expect(await store.comment(comment.id)).toBeNull();
      expect(await store.commit([{ write: 'comment.insert', comment }])).toBe(true);
      expect(await store.comment(comment.id)).toEqual(comment);
    });

    it('takes a comment in once, and nothing of the second telling', async () => {
      const { store } = current();
      await store.commit([insert()]);
      const again = [append(), insert({ body: '/task done', source: 'sweep' })];
      expect(await store.commit(again)).toBe(false);
      expect(await store.comment('900')).toEqual(makeComment());
      expect(await store.queries.events(null, 9)).toEqual([]);
    });

    it('lets one of several who tell of a comment at once take it in', async () => {
      const { store } = current();
      const told = await Promise.all(Array.from({ length: 8 }, () => store.commit([append(), insert()])));
      expect(told.filter(Boolean)).toHaveLength(1);
      expect(await store.queries.events(null, 9)).toHaveLength(1);
    });

    it('takes no comment in from a repository that is not known', async () => {
      await expect(current().store.commit([insert({ repositoryId: '9' })])).rejects.toThrow();
    });

    it('notes what came of a comment only on top of what was read', async () => {
      const { store } = current();
      await store.commit([insert()]);
      const update = (version: number, set: Extract<Write, { write: 'comment.update' }>['set']): Write => ({
        write: 'comment.update',
        id: '900',
        version,
        set,
      });
      expect(await store.commit([update(1, { permission: 'write' })])).toBe(true);
      expect(await store.commit([append(), update(1, { state: 'handled' })])).toBe(false);
      expect(await store.commit([update(2, { state: 'handled', commands: [] })])).toBe(true);
      expect(await store.comment('900')).toEqual(
        makeComment({ permission: 'write', state: 'handled', commands: [], version: 3 }),
      );
      expect(await store.queries.events(null, 9)).toEqual([]);
    });

    it('gives the comments of an issue that are due in the order in which they were made', async () => {
      const { store } = current();
      await store.commit([
        insert({ id: '1000', createdAt: T0 }),
        insert({ id: '999', createdAt: T0 }),
        insert({ id: '2000', createdAt: inSeconds(current(), -5) }),
        insert({ id: '3000', state: 'handled' }),
        insert({ id: '3001', state: 'ignored' }),
        insert({ id: '3002', number: 13 }),
      ]);
      expect(idsOf(await store.dueComments(issue))).toEqual(['2000', '999', '1000']);
      expect(await store.dueComments({ ...issue, number: 99 })).toEqual([]);
    });

    it('moves the time from which comments are listed only on from where it was', async () => {
      const { store } = current();
      const since = (from: Date | null, to: Date): Write => ({
        write: 'comments.since',
        repositoryId: repository.id,
        from,
        to,
      });
      const later = inSeconds(current(), 30);
      expect(await store.commentsSince(repository.id)).toBeNull();
      expect(await store.commit([since(later, T0)])).toBe(false);
      expect(await store.commit([since(null, T0)])).toBe(true);
      expect(await store.commit([since(null, later)])).toBe(false);
      expect(await store.commentsSince(repository.id)).toEqual(T0);
      expect(await store.commit([since(T0, later)])).toBe(true);
      expect(await store.commentsSince(repository.id)).toEqual(later);
      expect(await store.commentsSince('9')).toBeNull();
      expect(await store.commit([{ ...since(null, T0), repositoryId: '9' } as Write])).toBe(false);
    });

    it('keeps that time when the repository is renamed or gets another installation', async () => {
      const { store } = current();
      await store.commit([{ write: 'comments.since', repositoryId: repository.id, from: null, to: T0 }]);
      const renamed = { ...repository, fullName: 'acme/other', installationId: 78 };
      await store.commit([{ write: 'repository.put', repository: renamed }]);
      expect(await store.repository(repository.id)).toEqual(renamed);
      expect(await store.commentsSince(repository.id)).toEqual(T0);
    });

    it('names all repositories that were ever seen, by id', async () => {
      const { store } = current();
      const other = { id: '1000', fullName: 'acme/gadgets', installationId: null };
      await store.commit([{ write: 'repository.put', repository: other }]);
      expect(await store.repositories()).toEqual([other, repository]);
    });

    it('keeps one file for each repository, as it was put last', async () => {
      const { store } = current();
      const file: StoredFile = {
        repositoryId: repository.id,
        etag: 'W/"abc"',
        sha: 'b'.repeat(40),
        text: 'tasks: {}\n',
        textSha: 'a'.repeat(40),
        problems: ['line 3: “tasks” must be a mapping'],
        checkedAt: T0,
      };
      const gone = { ...file, etag: null, sha: null, text: null, textSha: null, problems: null };
      const put = (stored: StoredFile): Write => ({ write: 'file.put', file: stored });
      expect(await store.repositoryFile(repository.id)).toBeNull();
      expect(await store.commit([put(gone)])).toBe(true);
      expect(await store.repositoryFile(repository.id)).toEqual(gone);
      expect(await store.commit([put(file)])).toBe(true);
      expect(await store.commit([put(gone), failing])).toBe(false);
      expect(await store.repositoryFile(repository.id)).toEqual(file);
      await expect(store.commit([put({ ...file, repositoryId: '9' })])).rejects.toThrow();
    });

    it('finds the batches that were started in comments of an issue, newest first', async () => {
      const { store } = current();
      const started = (id: string, seconds: number, given: object = {}) =>
        makeBatch({ id, name: id, issueNumber: 12, createdAt: inSeconds(current(), seconds), ...given });
      const batches = [
        started('a', 1),
        started('b', 9, { state: 'cancelled' }),
        started('c', 5),
        started('elsewhere', 7, { issueNumber: 13 }),
        started('unlinked', 7, { issueNumber: null }),
      ];
      await store.commit(batches.map((batch) => insertBatch(batch)));
      expect(idsOf(await store.batchesOfIssue(issue, 9))).toEqual(['b', 'c', 'a']);
      expect(await store.batchesOfIssue(issue, 1)).toEqual([batches[1]]);
      expect(await store.batch('unlinked')).toMatchObject({ issueNumber: null });
    });
  });
}
