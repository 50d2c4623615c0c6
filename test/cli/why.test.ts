/** What `batch status` and `task show` say of a task in a few words. */
import { expect, it } from 'vitest';
import { whyOf } from '../../src/cli/why.ts';

it('names the silence of a runner, which no state tells', () => {
  const since = new Date(Date.now() - 3 * 60_000 - 500).toISOString();
  const run = { id: 'run_1', number: 1, purpose: 'work', state: 'running', cause: null, reason: null } as const;
  const never = { exit_code: null, signal: null, cancel_requested_at: null, started_at: null };
  const task = { state: 'running', waiting_on: null, cause: null, actor: null, hold: null } as const;
  const why = (silent_since: string | null) => whyOf({ ...task, runs: [{ ...run, ...never, silent_since }] });
  expect(why(since)).toBe('no answer of its runner for 3 min');
  expect(why(null)).toBe('');
});
