/** Node reads no TypeScript: what runs in a process of its own is bundled first, below the project, where its dependencies are. */
import { basename, join } from 'node:path';
import { build } from 'vite';

/** Returns the path of the module that `entry` was bundled to. */
export async function bundleInto(outDir: string, entry: string): Promise<string> {
  const name = `${basename(entry, '.ts')}.mjs`;
  const output = { entryFileNames: name, chunkFileNames: '[name]-[hash].mjs' };
  await build({
    configFile: false,
    logLevel: 'error',
    // Finding and reading hundreds of modules takes long at each start; a native one finds its binary from where it is.
    ssr: { noExternal: true, external: ['better-sqlite3'] },
    build: { ssr: entry, outDir, target: 'node20', emptyOutDir: false, rollupOptions: { output } },
  });
  return join(outDir, name);
}
