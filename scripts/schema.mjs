// Keeps the schemas and migrations of both databases together.
//   node scripts/schema.mjs check            fails if the twins are not what prisma/schema.prisma derives to
//   node scripts/schema.mjs migration NAME   writes a migration for what changed since the last, and the twins
import { mkdir, writeFile } from 'node:fs/promises';
import { diffSchemas } from './schema-engine.mjs';
import { deriveTwin, PROVIDERS, readTwin, twinPath, writeTwin } from './schema-twins.mjs';

async function check() {
  for (const provider of PROVIDERS) {
    if ((await readTwin(provider)) !== (await deriveTwin(provider))) {
      console.error(
        `prisma/${provider} does not match prisma/schema.prisma: run node scripts/schema.mjs migration NAME`,
      );
      process.exitCode = 1;
    }
  }
}

async function migration(name) {
  if (!/^[a-z0-9_]+$/.test(name ?? '')) throw new Error('give the migration a name of a-z, 0-9 and _');
  const stamp = new Date().toISOString().replace(/\D/g, '').slice(0, 14);
  for (const provider of PROVIDERS) {
    const before = await readTwin(provider);
    const after = await deriveTwin(provider);
    const sql = before === after ? '' : await diffSchemas(provider, before, after);
    if (hasStatements(sql)) await writeMigration(provider, `${stamp}_${name}`, sql);
    await writeTwin(provider, after);
  }
}

/** A difference that changes no table (a comment, say) is a script of comments only. */
function hasStatements(sql) {
  return sql.split('\n').some((line) => line.trim() !== '' && !line.startsWith('--'));
}

async function writeMigration(provider, name, sql) {
  const folder = new URL(`migrations/${name}/`, twinPath(provider));
  await mkdir(folder, { recursive: true });
  await writeFile(new URL('migration.sql', folder), sql);
  await writeFile(new URL('../migration_lock.toml', folder), `provider = "${provider}"\n`);
  console.log(`prisma/${provider}/migrations/${name}`);
}

const [command, argument] = process.argv.slice(2);
if (command === 'check') await check();
else if (command === 'migration') await migration(argument);
else {
  console.error('usage: node scripts/schema.mjs check | migration NAME');
  process.exitCode = 2;
}
