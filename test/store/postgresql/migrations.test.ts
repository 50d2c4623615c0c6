import { PrismaPg } from '@prisma/adapter-pg';
import { ALL_TABLES, withSchemaEngine } from '../../../src/store/migrations/engine.ts';
import { readMigrationFolder } from '../../../src/store/migrations/folder.ts';
import { describeMigrations } from '../../contract/store-migrations.ts';
import { makePostgresqlDatabase, queryPostgresql } from '../../support/databases.ts';

/** Every column, index and constraint as one line, whatever their order. */
const STRUCTURE = `
  SELECT concat_ws(' ', 'column', table_name, column_name, data_type, datetime_precision, is_nullable, column_default) AS line
    FROM information_schema.columns WHERE table_schema = 'public' AND table_name <> '_prisma_migrations'
  UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = 'public' AND tablename <> '_prisma_migrations'
  UNION ALL SELECT concat_ws(' ', conrelid::regclass, conname, pg_get_constraintdef(oid)) FROM pg_constraint
    WHERE connamespace = 'public'::regnamespace AND conrelid::regclass::text <> '_prisma_migrations'
  ORDER BY line`;

async function readStructure(databaseUrl: string): Promise<string[]> {
  return (await queryPostgresql(databaseUrl, STRUCTURE)).map(({ line }) => String(line));
}

/** Made from the schema alone, by no migration. Prisma's engine can't read PostgreSQL's catalogue through its adapter. */
async function readSchemaStructure(): Promise<string[]> {
  const database = await makePostgresqlDatabase();
  try {
    const { schema } = await readMigrationFolder('postgresql');
    const factory = new PrismaPg({ connectionString: database.databaseUrl, max: 1 });
    const { stdout } = await withSchemaEngine(factory, schema, (engine) =>
      engine.diff({
        from: { tag: 'empty' },
        to: { tag: 'schemaDatamodel', files: [{ path: 'schema.prisma', content: schema }] },
        script: true,
        exitCode: null,
        filters: ALL_TABLES,
      }),
    );
    await queryPostgresql(database.databaseUrl, stdout ?? '');
    return await readStructure(database.databaseUrl);
  } finally {
    await database.remove();
  }
}

async function differences(databaseUrl: string): Promise<readonly string[]> {
  const [found, wanted] = [await readStructure(databaseUrl), await readSchemaStructure()];
  return [
    ...found.filter((line) => !wanted.includes(line)).map((line) => `surplus: ${line}`),
    ...wanted.filter((line) => !found.includes(line)).map((line) => `missing: ${line}`),
  ];
}

describeMigrations({
  dialect: 'postgresql',
  makeDatabase: () => makePostgresqlDatabase(),
  adaptersOf: (connectionString) => new PrismaPg({ connectionString, max: 1 }),
  differences,
  execute: queryPostgresql,
});
