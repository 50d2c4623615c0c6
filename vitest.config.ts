import { defineConfig } from 'vitest/config';

/** A test process ends before Prisma's WebAssembly, compiled a second time as faster code, would have paid for that. */
const execArgv = ['--liftoff-only'];
const common = { testTimeout: 30_000, hookTimeout: 60_000, pool: 'forks' as const, execArgv };
const postgresql = 'test/**/postgresql/**/*.test.ts';

export default defineConfig({
  test: {
    maxWorkers: 3,
    projects: [
      { test: { ...common, name: 'main', include: ['test/**/*.test.ts'], exclude: [postgresql] } },
      // Needs a server: see CONTRIBUTING.md.
      { test: { ...common, name: 'postgresql', include: [postgresql] } },
    ],
  },
});
