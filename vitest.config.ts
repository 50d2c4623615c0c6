import { defineConfig } from 'vitest/config';
import { LongestFirst, SHARED } from './test/support/longest-first.ts';

/** A test process ends before Prisma's WebAssembly, compiled a second time as faster code, would have paid for that. */
const execArgv = ['--liftoff-only'];
const common = { testTimeout: 30_000, hookTimeout: 60_000, pool: 'forks' as const, execArgv };
const postgresql = 'test/**/postgresql/**/*.test.ts';
const shared = 'test/{core,engine}/**/*.test.ts';

export default defineConfig({
  test: {
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    projects: [
      { test: { ...common, name: 'main', include: ['test/**/*.test.ts'], exclude: [postgresql, shared] } },
      // Modules without a state of their own need no process per file: loading them again would take longer than most of these tests.
      { test: { ...common, name: SHARED, include: [shared], isolate: false } },
      // Needs a server: see CONTRIBUTING.md.
      { test: { ...common, name: 'postgresql', include: [postgresql] } },
    ],
  },
});
