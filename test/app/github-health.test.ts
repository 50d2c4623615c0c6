/** How it stands with GitHub, as `/readyz` and the log of the start tell it. */
import { afterEach, describe, expect, it } from 'vitest';
import type { Logger } from '../../src/engine/ports.ts';
import { makeWorld, REPOSITORY, rest, WAIT, type World, type WorldOptions } from '../support/world.ts';

let world: World;
afterEach(() => world.close());

const warnings: string[] = [];
const log: Logger = {
  debug() {},
  info() {},
  warn: (fields, message) => void warnings.push(`${message}: ${JSON.stringify(fields)}`),
  error() {},
};

async function begin(options: WorldOptions = {}, before: (world: World) => void = () => {}) {
  world = await makeWorld({ ...options, app: { log } });
  warnings.length = 0;
  before(world);
  await world.start();
}

async function github(): Promise<string> {
  const response = await fetch(`${world.app().url}/readyz`);
  const { github: state } = (await response.json()) as { github: string };
  return `${response.status} ${state}`;
}

/** Its repository is looked for on GitHub. */
function submit() {
  const tasks = { a: { runs_on: 'local', run: ['true'] } };
  return rest(world, 'POST', '/batches?dry_run=true', { repository: REPOSITORY, name: 'looked-for', tasks });
}

const problem = (words: string) => expect.stringContaining(`GitHub can not be used: {"problem":"${words}`);

describe('GitHub is', () => {
  it.each(['app', 'token'] as const)('ok once it has answered, though no task asks for it: %s', async (mode) => {
    await begin({ mode });
    await expect.poll(github, WAIT).toBe('200 ok');
    expect(warnings.filter((line) => line.includes('GitHub'))).toEqual([]);
  });

  it('degraded while it gives no answer, which holds up no start, and ok when it does again', async () => {
    await begin({}, ({ github: { faults } }) => faults.add({ kind: 'drop' }));
    await expect.poll(() => warnings, WAIT).toContainEqual(problem('GitHub gave no answer to rely on (GET /'));
    expect(await github()).toBe('200 degraded');
    world.github.faults.clear();
    expect((await submit()).status).toBe(200);
    expect(await github()).toBe('200 ok');
    world.github.faults.add({ kind: 'drop' });
    expect((await submit()).status).toBe(503);
    expect(await github()).toBe('200 degraded');
    world.github.faults.clear();
  });

  it('degraded where it refuses the token, and the log says which setting to look at', async () => {
    const GITHUB_TOKEN = `ghp_${'nobody'.repeat(6)}`;
    await begin({ mode: 'token', env: { GITHUB_TOKEN } });
    await expect
      .poll(() => warnings, WAIT)
      .toContainEqual(problem("GitHub refuses the app's credentials (GET /user: 401"));
    expect(await github()).toBe('200 degraded');
    const { status, body } = await submit();
    expect([status, JSON.stringify(body)]).toEqual([503, expect.stringContaining('check GITHUB_TOKEN')]);
    expect(JSON.stringify([warnings, body])).not.toContain(GITHUB_TOKEN);
  });

  it('ok where it only refuses one thing', async () => {
    await begin();
    await expect.poll(github, WAIT).toBe('200 ok');
    const refusal = {
      kind: 'answer',
      status: 403,
      body: { message: 'Resource not accessible by integration' },
    } as const;
    world.github.faults.add({ ...refusal, path: /installation$/ });
    const { status, body } = await submit();
    expect([status, JSON.stringify(body)]).toEqual([503, expect.stringContaining('GitHub gives the app no access')]);
    expect(await github()).toBe('200 ok');
    world.github.faults.clear();
  });
});
