import { defineConfig } from 'vitest/config';

const common = { testTimeout: 30_000, hookTimeout: 60_000, pool: 'forks' as const };
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
