import { describe, expect, test } from 'vitest';
import { ask, makeReceivers, makeStarter, takeInstallationToken } from './support.ts';

const start = makeStarter();
const receive = makeReceivers();

const BRANCHES = 'GET /repos/acme/widgets/branches';
const COMPARE = 'GET /repos/acme/widgets/compare';

interface Branch {
  commit: { sha: string; parents: { sha: string }[] };
}

async function makeScene() {
  const github = await start();
  const token = await takeInstallationToken(github);
  const read = (path: string) => ask(github, path, { token });
  const headOf = async (branch: string) => {
    const { json } = await read(`${BRANCHES}/${encodeURIComponent(branch)}`);
    return (json as unknown as Branch).commit;
  };
  return { github, read, headOf };
}

describe('a branch', () => {
  test('is there once it was pushed, with its newest commit, whether its slash is encoded or not', async () => {
    const { github, read, headOf } = await makeScene();
    github.pushBranch('acme/widgets', 'work/12', { by: 'ann' });
    const [main, work] = [await headOf('main'), await headOf('work/12')];
    expect(work.parents).toMatchObject([{ sha: main.sha }]);
    expect((await read(`${BRANCHES}/work/12`)).json).toMatchObject({ name: 'work/12', commit: { sha: work.sha } });
    github.pushBranch('acme/widgets', 'work/12', { by: 'ann' });
    expect((await headOf('work/12')).parents).toMatchObject([{ sha: work.sha }]);
  });

  test('is a 404 of its own words before it is pushed and once it is deleted', async () => {
    const { github, read } = await makeScene();
    const missing = { status: 404, json: { message: 'Branch not found' } };
    expect(await read(`${BRANCHES}/work`)).toMatchObject(missing);
    github.pushBranch('acme/widgets', 'work', { by: 'ann' });
    github.deleteBranch('acme/widgets', 'work', { by: 'ann' });
    expect(await read(`${BRANCHES}/work`)).toMatchObject(missing);
  });

  test('is told of when it is pushed and when it is deleted', async () => {
    const { github } = await makeScene();
    const { url, received } = await receive();
    github.webhooks.to(url);
    github.pushBranch('acme/widgets', 'work', { by: 'ann', commits: 2 });
    github.deleteBranch('acme/widgets', 'work', { by: 'ann' });
    await github.webhooks.settled();
    const told = received.map(({ payload }) => payload);
    expect(told).toMatchObject([
      { ref: 'refs/heads/work', created: true, deleted: false, commits: [{ distinct: true }, { distinct: true }] },
      { ref: 'refs/heads/work', created: false, deleted: true, commits: [], head_commit: null },
    ]);
  });

  test('is read and compared with the permission to read contents', async () => {
    const github = await start({ permissions: { issues: 'write', metadata: 'read' } });
    const token = await takeInstallationToken(github);
    for (const path of [`${BRANCHES}/main`, `${COMPARE}/main...main`]) {
      const reply = await ask(github, path, { token });
      expect(reply).toMatchObject({ status: 403, json: { message: 'Resource not accessible by integration' } });
    }
  });
});

describe('a comparison', () => {
  test('counts what the one holds and the other does not, both ways', async () => {
    const { github, read, headOf } = await makeScene();
    github.pushBranch('acme/widgets', 'work', { by: 'ann', commits: 3 });
    expect((await read(`${COMPARE}/main...work`)).json).toMatchObject({ status: 'ahead', ahead_by: 3, behind_by: 0 });
    github.pushFile('acme/widgets', { by: 'ann', path: 'a.txt', text: 'a' });
    const { sha } = await headOf('work');
    const diverged = await read(`${COMPARE}/main...${sha}?per_page=1`);
    expect(diverged.json).toMatchObject({ status: 'diverged', ahead_by: 3, behind_by: 1, total_commits: 3 });
    expect(diverged.json.commits).toHaveLength(1);
    expect((await read(`${COMPARE}/work...main`)).json).toMatchObject({ ahead_by: 1, behind_by: 3 });
    expect((await read(`${COMPARE}/main...main`)).json).toMatchObject({ status: 'identical', ahead_by: 0 });
  });

  test('begins where the branch was begun', async () => {
    const { github, read } = await makeScene();
    github.pushBranch('acme/widgets', 'release/2', { by: 'ann', commits: 2 });
    github.pushBranch('acme/widgets', 'work', { by: 'ann', from: 'release/2' });
    expect((await read(`${COMPARE}/release%2F2...work`)).json).toMatchObject({ ahead_by: 1 });
    expect((await read(`${COMPARE}/main...work`)).json).toMatchObject({ ahead_by: 3 });
  });

  test('is a 404 where either is missing, and where they have no commit in common', async () => {
    const { github, read } = await makeScene();
    expect((await read(`${COMPARE}/main...nowhere`)).status).toBe(404);
    expect((await read(`${COMPARE}/nowhere...main`)).status).toBe(404);
    github.pushBranch('acme/widgets', 'pages', { by: 'ann', from: null });
    const reply = await read(`${COMPARE}/main...pages`);
    expect(reply).toMatchObject({ status: 404, json: { message: 'No common ancestor between main and pages.' } });
  });
});
