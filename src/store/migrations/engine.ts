/**
 * Prisma's own schema engine, compiled to WebAssembly: it applies migrations through a driver adapter, so no binary has to
 * be downloaded. Loading takes some hundred milliseconds, so it is loaded only where something is to be applied.
 */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import {
  bindMigrationAwareSqlAdapterFactory,
  type SqlDriverAdapter,
  type SqlMigrationAwareDriverAdapterFactory,
} from '@prisma/driver-adapter-utils';
import type { MigrationList, SchemaEngine } from '@prisma/schema-engine-wasm/schema_engine_bg';
import type { MigrationFolder } from './folder.ts';

export const ALL_TABLES = { externalTables: [], externalEnums: [] };

/** Node has it, though neither its types nor the language's name it. */
declare const WebAssembly: {
  instantiate(bytes: Uint8Array, imports: object): Promise<{ instance: { exports: object } }>;
};

type Bindings = typeof import('@prisma/schema-engine-wasm/schema_engine_bg');

/** The engine's bindings keep views of the memory that they were first given: the module may be set up only once. */
const ready = new WeakMap<object, Promise<void>>();

export async function withSchemaEngine<T>(
  factory: SqlMigrationAwareDriverAdapterFactory,
  schema: string,
  use: (engine: SchemaEngine) => Promise<T>,
): Promise<T> {
  const bindings = await import('@prisma/schema-engine-wasm/schema_engine_bg');
  const setUp = ready.get(bindings.SchemaEngine) ?? instantiate(bindings);
  ready.set(bindings.SchemaEngine, setUp);
  await setUp;
  const datamodels: [string, string][] = [['schema.prisma', schema]];
  const opened: SqlDriverAdapter[] = [];
  const adapters = bindMigrationAwareSqlAdapterFactory(noteConnections(factory, opened));
  const engine = await bindings.SchemaEngine.new({ datamodels }, () => {}, adapters);
  try {
    return await use(engine);
  } finally {
    engine.free();
    // The engine leaves its connections open, and with them a lock on the SQLite file.
    for (const adapter of opened) await adapter.dispose();
  }
}

function noteConnections(
  factory: SqlMigrationAwareDriverAdapterFactory,
  opened: SqlDriverAdapter[],
): SqlMigrationAwareDriverAdapterFactory {
  const connect = async () => {
    const adapter = await factory.connect();
    opened.push(adapter);
    return adapter;
  };
  const { provider, adapterName } = factory;
  return { provider, adapterName, connect, connectToShadowDb: () => factory.connectToShadowDb() };
}

async function instantiate(bindings: Bindings): Promise<void> {
  const entry = createRequire(import.meta.url).resolve('@prisma/schema-engine-wasm/schema_engine_bg');
  const wasm = await readFile(entry.replace(/\.js$/, '.wasm'));
  const { instance } = await WebAssembly.instantiate(wasm, {
    './schema_engine_bg.js': bindings,
  });
  bindings.__wbg_set_wasm(instance.exports);
  (instance.exports as { __wbindgen_start(): void }).__wbindgen_start();
}

export function toMigrationList(folder: MigrationFolder): MigrationList {
  return {
    baseDir: folder.path,
    lockfile: { path: 'migration_lock.toml', content: folder.lockfile },
    shadowDbInitScript: '',
    migrationDirectories: folder.migrations.map(({ name, script }) => ({
      path: name,
      migrationFile: { path: 'migration.sql', content: { tag: 'ok', value: script } },
    })),
  };
}
