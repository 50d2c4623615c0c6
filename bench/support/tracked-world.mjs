// A stand-in GitHub in a process of its own, a database in which a task is linked to every one of its issues, and processes that
// follow them, each on a copy of that database.
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startChild } from './child.mjs';
import { unlessInterrupted } from './interruption.mjs';
import { makeTrackedDatabase } from './tracked-database.mjs';

/**
 * Ends every process that `measure` started, also where it fails.
 * @param {{ repositories: number, issuesEach: number }} size
 */
export async function withTrackedWorld(size, measure) {
  const dir = await mkdtemp(join(tmpdir(), 'standdown-bench-'));
  const children = [];
  try {
    return await unlessInterrupted(makeWorld(dir, size, children).then(measure));
  } finally {
    await Promise.all(children.map((child) => child.close()));
    await rm(dir, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function makeWorld(dir, { repositories, issuesEach }, children) {
  async function start(name, env) {
    const child = await startChild(name, env, dir);
    children.push(child);
    return child;
  }

  const github = await start('github', { REPOSITORIES: String(repositories), ISSUES_EACH: String(issuesEach) });
  const model = join(dir, 'model.db');
  await makeTrackedDatabase(model, github);
  const access = await github.ask('access');
  return {
    github,
    tasks: repositories * issuesEach,
    /** `sweepSeconds` 0: only when asked. What others found before is undone at GitHub. */
    async follow(way, sweepSeconds) {
      await github.ask('reopenAll');
      const file = join(dir, `${children.length}.db`);
      await copyFile(model, file);
      return start('follower', { FOLLOW: JSON.stringify({ way, file, access, sweepSeconds }) });
    },
  };
}
