/** For tests: a stand-in GitHub that is checked all the time, and the assertion that it noticed nothing. */
import { expect } from 'vitest';
import type { StandInGitHub, StandInOptions } from '../../../src/demo/github/index.ts';
import { makeOpenApiCheck } from './check.ts';

export function withOpenApiCheck(options: StandInOptions = {}): StandInOptions {
  return { ...options, check: makeOpenApiCheck() };
}

/**
 * Fails if a request, an answer or a webhook contradicted GitHub's description. Call it in `afterEach` when everything is
 * closed: what throws there keeps later hooks from running.
 */
export function expectNoViolations(...stands: readonly StandInGitHub[]): void {
  expect(stands.flatMap((github) => github.violations())).toEqual([]);
}
