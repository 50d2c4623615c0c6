import BetterSqlite3 from 'better-sqlite3';
import { parseDatabaseUrl } from '../../src/store/database-url.ts';
import { ALL_TABLES, withSchemaEngine } from '../../src/store/migrations/engine.ts';
import { readMigrationFolder } from '../../src/store/migrations/folder.ts';
import { makeSqliteFactory } from '../../src/store/sqlite/connect.ts';
import { describeMigrations } from '../contract/store-migrations.ts';
import { makeSqliteDatabase } from '../support/databases.ts';

function fileOf(databaseUrl: string): string {
  const location = parseDatabaseUrl(databaseUrl);
  if (location.dialect !== 'sqlite') throw new Error('not a file');
  return location.file;
}

/** The statements that would turn the database into one of the schema, as Prisma's engine finds them. */
async function differences(databaseUrl: string): Promise<readonly string[]> {
  const { schema } = await readMigrationFolder('sqlite');
  const files = [{ path: 'schema.prisma', content: schema }];
  const diff = await withSchemaEngine(makeSqliteFactory(fileOf(databaseUrl)), schema, (engine) =>
    engine.diff({
      from: { tag: 'schemaDatasource', files, configDir: '.' },
      to: { tag: 'schemaDatamodel', files },
      script: true,
      exitCode: null,
      filters: ALL_TABLES,
    }),
  );
  return (diff.stdout ?? '').split('\n').filter((line) => line.trim() !== '' && !line.startsWith('--'));
}

describeMigrations({
  dialect: 'sqlite',
  makeDatabase: makeSqliteDatabase,
  adaptersOf: (databaseUrl) => makeSqliteFactory(fileOf(databaseUrl)),
  differences,
  execute: async (databaseUrl, sql) => {
    const db = new BetterSqlite3(fileOf(databaseUrl));
    db.exec(sql);
    db.close();
  },
});
