import nock from 'nock';
import { describe, expect, test } from 'vitest';
import { API, asToken, NOT_FOUND, playGitHub, playRepository, REPOSITORY } from './support.ts';

playGitHub();

const REPO = '/repos/acme/widgets';
const HEAD = 'a'.repeat(40);
const NO_BRANCH = { ...NOT_FOUND, message: 'Branch not found' };
const PAGE = '<html></html>';

function playBranch(name: string, status = 200, body: nock.Body = { name, commit: { sha: HEAD } }) {
  nock(API)
    .get(`${REPO}/branches/${encodeURIComponent(name)}`)
    .reply(status, body);
}

function playMove(name: string, location: string) {
  nock(API).get(`${REPO}/branches/${name}`).reply(301, { message: 'Moved Permanently' }, { location });
}

function playComparison(base: string, status: number, body: nock.Body) {
  nock(API)
    .get(`${REPO}/compare/${encodeURIComponent(base)}...${HEAD}?per_page=1`)
    .reply(status, body);
}

const readHead = (branch: string) => asToken().reader.readBranchHead(REPOSITORY, branch);
const read = (branch: string, base: string | null = 'main') => asToken().reader.readBranch(REPOSITORY, branch, base);

describe("a branch's newest commit", () => {
  test.each(['work', 'work/12', 'é#%&?b'])('is read by its name, whatever signs it has: %j', async (name) => {
    playBranch(name);
    expect(await readHead(name)).toBe(HEAD);
  });

  test('is null where GitHub knows no such branch of a repository that it shows', async () => {
    playBranch('work', 404, NO_BRANCH);
    playRepository();
    expect(await readHead('work')).toBeNull();
  });

  test('is null under a former name, wherever that leads', async () => {
    // As github.com has it: the address that it names is none.
    playMove('old', `${API}/repositories/acme/widgets/branches/work`);
    playRepository();
    expect(await readHead('old')).toBeNull();
    playMove('master', `${API}/repositories/101/branches/main`);
    nock(API)
      .get('/repositories/101/branches/main')
      .reply(200, { name: 'main', commit: { sha: HEAD } });
    expect(await readHead('master')).toBeNull();
  });

  test('is read in a repository that bears another name now', async () => {
    playMove('work', `${API}/repositories/101/branches/work`);
    nock(API)
      .get('/repositories/101/branches/work')
      .reply(200, { name: 'work', commit: { sha: HEAD } });
    expect(await readHead('work')).toBe(HEAD);
  });

  test('is no null where another repository has the name, or where none is shown', async () => {
    playBranch('work', 404, NO_BRANCH);
    playRepository({ id: 202 });
    await expect(readHead('work')).rejects.toMatchObject({ code: 'lost_access' });
    playBranch('work', 404, NOT_FOUND);
    nock(API).get(REPO).reply(404, NOT_FOUND);
    await expect(readHead('work')).rejects.toMatchObject({ code: 'lost_access' });
  });

  test('is no null where contents may not be read', async () => {
    playBranch('work', 403, { message: 'Resource not accessible by integration' });
    await expect(readHead('work')).rejects.toMatchObject({ code: 'lost_access', status: 403 });
  });

  test.each([404, 301, 500, 200])('is no null for what a proxy answers with %i', async (status) => {
    playBranch('work', status, PAGE);
    await expect(readHead('work')).rejects.toMatchObject({ code: 'retryable' });
  });
});

describe('what a branch holds that its base does not', () => {
  test('is counted from the base to the very commit that was read', async () => {
    playBranch('work');
    playComparison('release/2', 200, { ahead_by: 300, behind_by: 2, commits: [{}] });
    expect(await read('work', 'release/2')).toEqual({ head: HEAD, base: 'release/2', aheadBy: 300 });
  });

  test('is counted from the default branch where no base is given', async () => {
    playBranch('work');
    playRepository({ default_branch: 'trunk' });
    playComparison('trunk', 200, { ahead_by: 0 });
    expect(await read('work', null)).toEqual({ head: HEAD, base: 'trunk', aheadBy: 0 });
  });

  test('is asked of no base where there is no branch', async () => {
    playBranch('work', 404, NO_BRANCH);
    playRepository();
    expect(await read('work', null)).toBeNull();
  });

  test('is refused, naming the base, where that is not there', async () => {
    playBranch('work');
    playComparison('mian', 404, NOT_FOUND);
    playBranch('mian', 404, NO_BRANCH);
    playRepository();
    await expect(read('work', 'mian')).rejects.toMatchObject({
      code: 'refused',
      status: 404,
      message: expect.stringContaining('there is no branch mian to compare it with'),
    });
  });

  test('is refused, naming the base, where the two share no commit', async () => {
    playBranch('work');
    playComparison('main', 404, { ...NOT_FOUND, message: `No common ancestor between main and ${HEAD}.` });
    playBranch('main');
    await expect(read('work')).rejects.toMatchObject({
      code: 'refused',
      message: expect.stringMatching(/No common ancestor.*it can't be compared with main/),
    });
  });

  test('is unknown where the repository is lost from sight meanwhile', async () => {
    playBranch('work');
    playComparison('main', 404, NOT_FOUND);
    playBranch('main', 404, NOT_FOUND);
    nock(API).get(REPO).reply(404, NOT_FOUND);
    await expect(read('work')).rejects.toMatchObject({ code: 'lost_access' });
  });

  test.each([
    ['says nothing of it', 200, { behind_by: 0 }],
    ['says nonsense', 200, { ahead_by: -1 }],
    ['is a proxy’s page', 404, PAGE],
    ['is a trouble', 503, { message: 'Service unavailable' }],
  ])('is unknown, and asked again, where the answer %s', async (_what, status, body) => {
    playBranch('work');
    playComparison('main', status, body);
    // That the base is there makes it no answer.
    const main = { name: 'main', commit: { sha: HEAD } };
    nock(API).get(`${REPO}/branches/main`).optionally().reply(200, main);
    await expect(read('work')).rejects.toMatchObject({ code: 'retryable' });
  });

  test('is unknown where the repository tells no default branch, or another has its name', async () => {
    for (const facts of [{}, { id: 202, default_branch: 'main' }]) {
      playBranch('work');
      playRepository(facts);
      await expect(read('work', null)).rejects.toMatchObject({ code: 'retryable' });
    }
  });
});
