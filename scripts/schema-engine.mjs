// Prisma's schema engine as WebAssembly, for comparing schemas: it needs no database and no downloaded binary.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { PrismaBetterSqlite3 } from '@prisma/adapter-better-sqlite3';
import { bindMigrationAwareSqlAdapterFactory, ColumnTypeEnum } from '@prisma/driver-adapter-utils';
import * as bindings from '@prisma/schema-engine-wasm/schema_engine_bg';

async function loadEngine() {
  const entry = createRequire(import.meta.url).resolve('@prisma/schema-engine-wasm/schema_engine_bg');
  const wasm = await readFile(entry.replace(/\.js$/, '.wasm'));
  const { instance } = await WebAssembly.instantiate(wasm, { './schema_engine_bg.js': bindings });
  // The engine reports a panic through this global, as Prisma's own command line sets it.
  globalThis.PRISMA_WASM_PANIC_REGISTRY = { set_message: (message) => console.error(message) };
  bindings.__wbg_set_wasm(instance.exports);
  instance.exports.__wbindgen_start();
  return bindings.SchemaEngine;
}

// Once per process: the bindings keep views of the memory that they were first given.
let loaded;

/** The engine asks for the server's version before it compares two schemas, and for nothing else. */
function versionOnlyPostgresql() {
  const { Text, Boolean: Bool, Int32 } = ColumnTypeEnum;
  const adapter = {
    provider: 'postgres',
    adapterName: '@prisma/adapter-pg',
    queryRaw: async () => ({
      columnNames: ['exists', 'version', 'numeric_version'],
      columnTypes: [Bool, Text, Int32],
      rows: [[true, 'PostgreSQL 14.0', 140000]],
    }),
    executeRaw: async () => 0,
    executeScript: async () => {},
    startTransaction: async () => Promise.reject(new Error('not connected')),
    dispose: async () => {},
  };
  const connect = async () => adapter;
  return { provider: adapter.provider, adapterName: adapter.adapterName, connect, connectToShadowDb: connect };
}

/** The SQL that turns a database of the schema `from` (null: an empty one) into one of the schema `to`. */
export async function diffSchemas(provider, from, to) {
  loaded ??= loadEngine();
  const SchemaEngine = await loaded;
  const factory = provider === 'sqlite' ? new PrismaBetterSqlite3({ url: ':memory:' }) : versionOnlyPostgresql();
  const engine = await SchemaEngine.new(
    { datamodels: [['schema.prisma', to]] },
    () => {},
    bindMigrationAwareSqlAdapterFactory(factory),
  );
  const target = (content) => ({ tag: 'schemaDatamodel', files: [{ path: 'schema.prisma', content }] });
  const result = await engine.diff({
    from: target(from ?? to.slice(0, to.indexOf('\nmodel '))),
    to: target(to),
    script: true,
    exitCode: null,
    filters: { externalTables: [], externalEnums: [] },
  });
  engine.free();
  return result.stdout ?? '';
}
