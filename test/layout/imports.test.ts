/** The layout is a check: an import against the arrows, or a cycle, is refused by the linter. Planted here, and seen refused. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const biome = createRequire(import.meta.url).resolve('@biomejs/biome/bin/biome');

const AGAINST = [
  ['core', '../../engine/index.ts'],
  ['core', '../../store/index.ts'],
  ['core', 'node:fs'],
  ['engine', '../../github/index.ts'],
  ['engine', '../../store/index.ts'],
  ['engine', '../../app/compose.ts'],
  ['engine', 'probot'],
  ['engine', '@prisma/client'],
  ['github', '../../store/index.ts'],
  ['github', '../../app/compose.ts'],
  ['runners', '../../github/index.ts'],
  ['store', '../../runners/process/index.ts'],
  ['web', '../../store/index.ts'],
  ['web', '../../app/compose.ts'],
  ['demo', '../../store/index.ts'],
] as const;
const ALONG = [
  ['engine', '../../core/task.ts'],
  ['store', '../../engine/ports.ts'],
  ['web', '../../core/task.ts'],
] as const;

let dir: string;
let refusals: Map<string, string[]>;

/** A project with this one's lint rules and modules that break them. */
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'standdown-layout-'));
  const rules = JSON.parse(readFileSync(join(root, 'biome.json'), 'utf8'));
  plant('biome.json', JSON.stringify({ ...rules, $schema: undefined, vcs: undefined }));
  for (const [index, [folder, path]] of [...AGAINST, ...ALONG].entries()) {
    plant(`src/${folder}/planted/p${index}.ts`, `import * as x from '${path}';\nexport const y = x;\n`);
  }
  plant('src/core/planted/a.ts', "import { b } from './b.ts';\nexport const a = () => b;\n");
  plant('src/core/planted/b.ts', "import { a } from './a.ts';\nexport const b = () => a;\n");
  refusals = lint();
});

afterAll(() => rmSync(dir, { recursive: true, force: true }));

function plant(path: string, text: string): void {
  mkdirSync(dirname(join(dir, path)), { recursive: true });
  writeFileSync(join(dir, path), text);
}

/** Rules that refused something, by file. */
function lint(): Map<string, string[]> {
  const args = [biome, 'lint', '--reporter=json', '--max-diagnostics=none', 'src'];
  const { stdout } = spawnSync(process.execPath, args, { cwd: dir, encoding: 'utf8' });
  const { diagnostics } = JSON.parse(stdout) as { diagnostics: { category: string; location: { path: unknown } }[] };
  const found = new Map<string, string[]>();
  for (const { category, location } of diagnostics) {
    const path = typeof location.path === 'string' ? location.path : (location.path as { file: string }).file;
    found.set(path, [...(found.get(path) ?? []), category]);
  }
  return found;
}

const refusalsOf = (folder: string, index: number) => refusals.get(`src/${folder}/planted/p${index}.ts`) ?? [];

describe('an import against the arrows is refused', () => {
  it.each(AGAINST.map(([folder, path], index) => ({ folder, path, index })))('$folder → $path', ({ folder, index }) => {
    expect(refusalsOf(folder, index)).toContain('lint/style/noRestrictedImports');
  });
});

it('an import along the arrows is not', () => {
  for (const [index, [folder]] of ALONG.entries()) {
    expect(refusalsOf(folder, AGAINST.length + index)).not.toContain('lint/style/noRestrictedImports');
  }
});

it('a cycle is refused', () => {
  expect(refusals.get('src/core/planted/a.ts')).toContain('lint/suspicious/noImportCycles');
});
