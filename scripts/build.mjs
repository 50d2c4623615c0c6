// Builds dist/: the Prisma clients, then TypeScript, then the files among the sources that are read at run time.
import { existsSync } from 'node:fs';
import { copyFile, mkdir, readdir, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { generateClients, run } from './generate.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const require = createRequire(import.meta.url);

/**
 * Installing without development dependencies (an image that is given dist/) has nothing to build with. Some come all the
 * same, as peers of others, without the types that the rest brings: only all of them will do.
 */
function canBuild() {
  const { devDependencies } = require('../package.json');
  return Object.keys(devDependencies).every((name) => existsSync(join(root, 'node_modules', name)));
}

async function filesBelow(folder) {
  const entries = await readdir(join(root, folder), { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return files.map((entry) => relative(join(root, folder), join(entry.parentPath ?? entry.path, entry.name)));
}

async function copyAssets() {
  const isAsset = (file) => !file.endsWith('.ts') && !/(^|\/)\.|\bgenerated\//.test(file);
  for (const file of (await filesBelow('src')).filter(isAsset)) {
    await mkdir(dirname(join(root, 'dist', file)), { recursive: true });
    await copyFile(join(root, 'src', file), join(root, 'dist', file));
  }
}

/** What is left from sources that are gone. File by file: an app may be running from dist/ meanwhile. */
async function removeLeftovers() {
  const sources = new Set(await filesBelow('src'));
  const madeFrom = (file) => file.replace(/(\.d\.ts|\.js)(\.map)?$/, '.ts');
  const leftovers = (await filesBelow('dist')).filter((file) => !sources.has(madeFrom(file)) && !sources.has(file));
  for (const file of leftovers) await rm(join(root, 'dist', file));
}

if (canBuild()) {
  await generateClients();
  const { bin } = require('typescript/package.json');
  await run(process.execPath, [
    join(dirname(require.resolve('typescript/package.json')), bin.tsc),
    '-p',
    join(root, 'tsconfig.build.json'),
  ]);
  await copyAssets();
  await removeLeftovers();
} else {
  console.log('standdown: no development dependencies here, so nothing is built; dist/ has to be there already');
}
