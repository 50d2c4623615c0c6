/** The signal that lives as long as the app: calls that wait end with it, and those that are over have left nothing at it. */
import { afterEach, expect, it } from 'vitest';
import { type AgentJobs, makeAgentApp } from '../../src/web/agent.ts';
import { silentLog } from '../support/databases.ts';
import { startFakeApp } from './fake-app.ts';

let app: Awaited<ReturnType<typeof startFakeApp>> | undefined;
afterEach(() => app?.close());

/** What Node.js keeps there for signals that were made of it, which no call of its own tells; NaN: it keeps that elsewhere now. */
function leftAt(signal: AbortSignal): number {
  AbortSignal.any([new AbortController().signal, signal]);
  const kept = Object.getOwnPropertySymbols(signal).find(({ description }) => description === 'kDependantSignals');
  const signals = kept && (signal as unknown as Record<symbol, { size: number } | undefined>)[kept];
  // Less the one that was made to see where it is.
  return (signals?.size ?? Number.NaN) - 1;
}

it('has nothing left of the news that sessions asked for, nor of event streams', async () => {
  const { signal } = new AbortController();
  app = await startFakeApp({ closing: signal });
  for (let call = 0; call < 3; call += 1) {
    await (await app.call('GET', '/api/v1/runs/run_1/attend?session=a-session-of-16-and-more')).json();
    const stream = await app.call('GET', '/api/v1/events/stream');
    await stream.body?.cancel();
  }
  expect(leftAt(signal)).toBe(0);
});

it('has nothing left of the changes that apps asked an agent for', async () => {
  const { signal } = new AbortController();
  const changes = async () => ({ cursor: 'c', run_ids: [] });
  const jobs = { changes } as unknown as AgentJobs;
  const agent = makeAgentApp({ jobs, token: 'token-of-the-agent', log: silentLog, closing: signal });
  const headers = { authorization: 'Bearer token-of-the-agent' };
  for (let call = 0; call < 3; call += 1) expect((await agent.request('/changes', { headers })).status).toBe(200);
  expect(leftAt(signal)).toBe(0);
});
