/** The package as it is installed: what is in it, and what installing does without development dependencies. */
import { execFile } from 'node:child_process';
import { copyFile, cp, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, expect, it } from 'vitest';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));
const folders: string[] = [];

afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
});

it('holds every page that the README leads to first', async () => {
  const { stdout } = await run('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: root });
  const [{ files }] = JSON.parse(stdout) as [{ files: { path: string }[] }];
  const paths = files.map(({ path }) => path);
  expect(paths).toEqual(
    expect.arrayContaining(['.env.example', 'CONTRIBUTING.md', 'README.md', 'LICENSE', 'app.yml', 'docs/deploying.md']),
  );
  expect(paths.filter((path) => /^(test|src|scripts|bench)\//.test(path))).toEqual([]);
});

it('is installed without development dependencies, where peers bring the tools and not the types', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'standdown-install-'));
  folders.push(folder);
  await cp(join(root, 'scripts'), join(folder, 'scripts'), { recursive: true });
  for (const file of ['package.json', 'tsconfig.json', 'tsconfig.build.json']) {
    await copyFile(join(root, file), join(folder, file));
  }
  await mkdir(join(folder, 'node_modules'));
  for (const name of ['typescript', 'prisma']) {
    await symlink(join(root, 'node_modules', name), join(folder, 'node_modules', name));
  }
  const { stdout } = await run('npm', ['run', 'prepare'], { cwd: folder });
  expect(stdout).toContain('nothing is built');
});
