/** How it stands with runners, as `/readyz` shows it. */
import { expect, it } from 'vitest';
import { renderRunners } from '../../src/app/runner-health.ts';
import type { Deps } from '../../src/engine/deps.ts';
import type { RunnerProfile } from '../../src/engine/ports/runner.ts';
import { makeMemoryStore } from '../../src/store/memory/index.ts';

async function shown(set: Partial<RunnerProfile>): Promise<unknown> {
  const profile = { kind: 'agent', containment: 'scan', graceSeconds: 10, maxRunning: null, passEnv: [], notes: [] };
  const runners = { names: () => ['lab'], get: () => ({ profile: { ...profile, ...set } }) };
  const clock = () => new Date();
  const deps = { runners, clock, limits: {}, store: makeMemoryStore({ now: clock }) } as unknown as Deps;
  return ((await renderRunners(deps, () => undefined, null)) as { lab: unknown }).lab;
}

it('a runner elsewhere is not well before it was heard of, and one of this machine is from the start', async () => {
  expect(await shown({ silent: null, heard: false })).toMatchObject({ state: 'degraded', heard: false });
  expect(await shown({ silent: null, heard: true })).toMatchObject({ state: 'ok' });
  expect(await shown({ kind: 'process' })).toMatchObject({ state: 'ok' });
});

it('one that gives no answer is that first of all', async () => {
  const silent = { since: new Date(0), reason: 'no connection in time' };
  const lab = await shown({ silent, heard: false });
  expect(lab).toMatchObject({ state: 'degraded', silent_since: silent.since.toISOString() });
});
