/** The repository's file as it is known here: read by ETag, the last good content in force, and told of once where it is wrong. */
import { beforeEach, describe, expect, it } from 'vitest';
import { type Deps, GitHubError, type StoredFile } from '../../src/engine/index.ts';
import { makePolicyOf } from '../../src/engine/policies.ts';
import { refreshFiles } from '../../src/engine/refresh-files.ts';
import { fileToStart, followFile, noticeWrites, refreshFile } from '../../src/engine/repository-file.ts';
import { makeMemoryStore } from '../../src/store/memory/index.ts';
import { makeChecker } from '../fixtures/engine/checker.ts';
import { REPOSITORY } from '../fixtures/engine/embedded.ts';
import { type Files, makeFiles, shaOf } from '../fixtures/engine/files.ts';
import { at } from '../support/builders.ts';
import { silentLog } from '../support/databases.ts';

const GOOD = 'policy: { on_reopen: ignore }\n';
const BETTER = 'policy: { on_reopen: requeue_all }\n';
const WRONG = 'policy:\n  on_reopen: sometimes\n';

let files: Files;
let now: Date;
let deps: Deps;

beforeEach(async () => {
  files = makeFiles();
  now = at(0);
  const store = makeMemoryStore({ now: () => now });
  deps = {
    store,
    runners: { get: () => null, names: () => [], allows: () => true },
    github: { ...makeChecker(), readFile: files.readFile },
    interpret: () => ({ kind: 'ignored' }),
    policyOf: makePolicyOf(store, () => ({})),
    trustedApps: () => [],
    limits: { maxRunning: 8, maxRunningPerRepository: 8 },
    clock: () => now,
    newId: (prefix) => `${prefix}_1`,
    log: silentLog,
  };
  await store.commit([{ write: 'repository.put', repository: REPOSITORY }]);
});

const onReopen = async () => (await deps.policyOf(REPOSITORY.id)).onReopen;
const refresh = () => refreshFile(deps, REPOSITORY);

async function stored(): Promise<StoredFile> {
  const file = await deps.store.repositoryFile(REPOSITORY.id);
  if (file === null) throw new Error('nothing is stored');
  return file;
}

async function journalled(): Promise<unknown[]> {
  return (await deps.store.queries.events(null, 100)).map(({ type, data }) => [type, data]);
}

describe('the file in force', () => {
  it('is the newest that was right; its absence means the defaults', async () => {
    expect(await onReopen()).toBe('requeue_stopped');
    await refresh();
    expect(await stored()).toMatchObject({ sha: null, text: null, problems: null });
    files.push(GOOD);
    await refresh();
    expect(await onReopen()).toBe('ignore');
    files.push(BETTER);
    await refresh();
    expect(await onReopen()).toBe('requeue_all');
    files.push(null);
    await refresh();
    expect(await onReopen()).toBe('requeue_stopped');
    expect(await journalled()).toEqual([
      ['REPOSITORY_FILE_CHANGED', { from: null, to: shaOf(GOOD) }],
      ['REPOSITORY_FILE_CHANGED', { from: shaOf(GOOD), to: shaOf(BETTER) }],
      ['REPOSITORY_FILE_CHANGED', { from: shaOf(BETTER), to: null }],
    ]);
  });

  it('stays what it was while the newest is wrong, which is journalled once and quotes line, key and what is accepted', async () => {
    files.push(GOOD);
    await refresh();
    files.push(WRONG);
    await refresh();
    await refresh();
    expect(await onReopen()).toBe('ignore');
    expect(await stored()).toMatchObject({ sha: shaOf(WRONG), textSha: shaOf(GOOD), text: GOOD });
    const [problem, ...others] = (await stored()).problems ?? [];
    expect(others).toEqual([]);
    expect(problem).toMatch(/^line 2, column \d+: policy\.on_reopen: .*requeue_stopped.*"sometimes"/);
    expect(await journalled()).toEqual([
      ['REPOSITORY_FILE_CHANGED', { from: null, to: shaOf(GOOD) }],
      ['REPOSITORY_FILE_WRONG', { sha: shaOf(WRONG), in_force: shaOf(GOOD), problems: [problem] }],
    ]);
    files.push(GOOD);
    await refresh();
    expect(await stored()).toMatchObject({ sha: shaOf(GOOD), problems: null });
  });

  it('stays what it was where what is there is no file that can be used', async () => {
    files.push(GOOD);
    await refresh();
    files.answer(async () => ({ found: 'unusable', sha: 'd1', etag: 'e1', problem: 'is a directory' }));
    await refresh();
    expect(await onReopen()).toBe('ignore');
    expect(await stored()).toMatchObject({ sha: 'd1', problems: ['is a directory'] });
  });

  it('is none with a NUL in it, which not every database keeps', async () => {
    files.push('# a comment \0\n');
    await refresh();
    expect(await stored()).toMatchObject({ text: null, problems: ['must not contain a NUL character'] });
  });

  it.each(['retryable', 'throttled', 'lost_access', 'refused'] as const)(
    'stays what it was, with when it was confirmed, where a read is answered %s',
    async (code) => {
      files.push(GOOD);
      await refresh();
      const before = await stored();
      now = at(30);
      files.answer(() => Promise.reject(new GitHubError(code, 'no')));
      expect(await refresh()).toMatchObject({ result: 'unread', stored: before, error: { code } });
      expect(await stored()).toEqual(before);
    },
  );

  it('is asked for by its ETag, and judged anew while it is wrong', async () => {
    files.push(GOOD);
    await refresh();
    now = at(30);
    await refresh();
    expect(files.asked).toEqual([null, shaOf(GOOD)]);
    expect((await stored()).checkedAt).toEqual(at(30));
    files.push(WRONG);
    await refresh();
    await refresh();
    expect(files.asked).toEqual([null, shaOf(GOOD), shaOf(GOOD), null]);
  });

  it('is judged anew where what was right to another version is wrong to this one', async () => {
    const file = { repositoryId: REPOSITORY.id, etag: shaOf(WRONG), sha: shaOf(WRONG), problems: null, checkedAt: now };
    await deps.store.commit([{ write: 'file.put', file: { ...file, text: WRONG, textSha: shaOf(WRONG) } }]);
    files.push(WRONG);
    expect(await onReopen()).toBe('requeue_stopped');
    await refresh();
    expect((await stored()).problems).not.toBeNull();
  });

  it("asks for at least what the operator's floor does, whatever it says, and by the floor as it is now", async () => {
    files.push('permissions: { run: none, retry: admin }\n');
    await refresh();
    let floor: Parameters<typeof makePolicyOf>[1] = () => ({ run: 'write', retry: 'triage' });
    const policyOf = makePolicyOf(deps.store, () => floor());
    expect((await policyOf(REPOSITORY.id)).permissions).toMatchObject({ run: 'write', retry: 'admin' });
    floor = () => ({ run: 'maintain' });
    expect((await policyOf(REPOSITORY.id)).permissions).toMatchObject({ run: 'maintain', retry: 'admin' });
  });
});

describe('a refresh', () => {
  it('that is asked for while another one reads begins after it, and one such read is enough for all', async () => {
    files.push(GOOD);
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const old = { found: 'file', text: GOOD, sha: shaOf(GOOD), etag: shaOf(GOOD) } as const;
    files.answer(async () => {
      await released;
      return old;
    });
    const first = refresh();
    await expect.poll(() => files.asked.length).toBe(1);
    files.push(BETTER);
    files.answer(null);
    const later = [refresh(), refresh(), refresh()];
    release();
    expect(await first).toMatchObject({ stored: { text: GOOD } });
    for (const one of await Promise.all(later)) expect(one).toMatchObject({ stored: { text: BETTER } });
    expect(files.asked).toHaveLength(2);
    expect(await onReopen()).toBe('requeue_all');
  });

  it('for a push is tried again where that may help, and left to the sweep where it does not', async () => {
    files.answer(() => Promise.reject(new GitHubError('retryable', 'bad gateway')));
    await expect(followFile(deps, REPOSITORY.id)).rejects.toMatchObject({ code: 'retryable' });
    files.answer(() => Promise.reject(new GitHubError('lost_access', 'not installed')));
    await followFile(deps, REPOSITORY.id);
    files.answer(null);
    files.push(GOOD);
    await followFile(deps, REPOSITORY.id);
    expect(await onReopen()).toBe('ignore');
  });

  it("at a sweep reads repositories that have a file, and one's failure is its own", async () => {
    const other = { ...REPOSITORY, id: '8', fullName: 'acme/gadgets' };
    const unknown = { ...REPOSITORY, id: '9', fullName: 'acme/idle' };
    const closed = { ...REPOSITORY, id: '10', fullName: 'acme/closed' };
    const odd = { ...REPOSITORY, id: '11', fullName: 'acme/odd' };
    for (const repository of [other, unknown, closed, odd])
      await deps.store.commit([{ write: 'repository.put', repository }]);
    files.push(GOOD);
    await refresh();
    for (const repository of [other, closed, odd]) await refreshFile(deps, repository);
    files.push(BETTER);
    const { readFile } = deps.github!;
    deps.github!.readFile = async (repository, path, etag) => {
      if (repository.id === '9') throw new Error('nobody needs that one');
      if (repository.id === '10') throw new GitHubError('lost_access', 'may not read files', { status: 403 });
      if (repository.id === '11') throw new TypeError('odd');
      if (repository.id === '8') throw new GitHubError('retryable', 'bad gateway');
      return readFile!(repository, path, etag);
    };
    expect((await refreshFiles(deps)).toSorted((a, b) => a.code.localeCompare(b.code))).toEqual([
      { taskId: null, issue: null, code: 'internal', message: '.github/standdown.yml of acme/odd: odd' },
      { taskId: null, issue: null, code: 'retryable', message: '.github/standdown.yml of acme/gadgets: bad gateway' },
    ]);
    expect(await onReopen()).toBe('requeue_all');
    expect((await deps.policyOf('8')).onReopen).toBe('ignore');
  });
});

describe('what starts work', () => {
  const silence = () => files.answer(() => Promise.reject(new GitHubError('retryable', 'bad gateway')));

  it('goes by the file as it is now', async () => {
    files.push(GOOD);
    expect(await fileToStart(deps, REPOSITORY)).toMatchObject({ ok: true, file: { policy: { onReopen: 'ignore' } } });
    files.push(null);
    expect(await fileToStart(deps, REPOSITORY)).toMatchObject({ ok: true, file: null });
  });

  it('goes by what was confirmed within ten minutes while GitHub gives no answer, and then by nothing', async () => {
    files.push(GOOD);
    await refresh();
    silence();
    now = at(600);
    expect(await fileToStart(deps, REPOSITORY)).toMatchObject({ ok: true, file: { policy: { onReopen: 'ignore' } } });
    now = at(601);
    expect(await fileToStart(deps, REPOSITORY)).toEqual({
      ok: false,
      error: expect.objectContaining({ code: 'retryable' }),
      words: expect.stringMatching(
        /^\.github\/standdown\.yml of acme\/widgets could not be read: GitHub .*bad gateway/,
      ),
    });
  });

  it('is refused in words where nothing was ever read, by whatever it is', async () => {
    silence();
    expect(await fileToStart(deps, REPOSITORY)).toMatchObject({ ok: false });
    deps.github = null;
    expect(await fileToStart(deps, REPOSITORY)).toEqual({
      ok: false,
      error: null,
      words: expect.stringContaining('GitHub is not connected'),
    });
  });
});

describe('a wrong file', () => {
  it('is told of once for each content, on the issue where it was noticed first', async () => {
    files.push(WRONG);
    await refresh();
    const key = `notice:7:${shaOf(WRONG)}`;
    expect(noticeWrites(await stored(), 12, now)).toMatchObject([
      { write: 'outbox.owe', item: { key, kind: 'notice', number: 12 } },
    ]);
    await deps.store.commit(noticeWrites(await stored(), 12, now));
    await deps.store.commit(noticeWrites(await stored(), 13, now));
    expect((await deps.store.queries.backlog()).messages).toBe(1);
    files.push(GOOD);
    await refresh();
    expect(noticeWrites(await stored(), 12, now)).toEqual([]);
  });
});
