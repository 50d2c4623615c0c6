/** Who gets through to an agent, with what, and what becomes of the rest. Over HTTPS, with a certificate of its own. */
import { request } from 'node:https';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningAgent, startAgent } from '../../../src/app/agent/index.ts';
import { RunnerUnreachable } from '../../../src/engine/ports/runner.ts';
import { AGENT_TOKEN, agentConfig, openByAgent } from '../../support/agent.ts';
import { makeCertificate } from '../../support/certificate.ts';
import { silentLog } from '../../support/databases.ts';
import { makeOptions, orderOf, type RunnerOptions, removeRunner } from '../../support/process-runner.ts';
import { eventually } from '../../support/processes.ts';

let options: RunnerOptions;
let agent: RunningAgent;
let ca: string;

beforeAll(async () => {
  const tls = makeCertificate();
  ca = tls.cert;
  options = makeOptions('scan');
  agent = await startAgent(
    { ...agentConfig(options), tls },
    { version: '1.2.3', log: silentLog, env: options.processEnv },
  );
});

afterAll(async () => {
  await agent.close(0);
  removeRunner(options);
});

interface Sent {
  method?: string;
  token?: string | null;
  body?: string | Buffer;
  type?: string;
}

/** By hand, so that paths arrive as they are written. */
function send(path: string, { method = 'GET', token = AGENT_TOKEN, body, type = 'application/json' }: Sent = {}) {
  const { hostname, port } = new URL(agent.url);
  const headers = {
    ...(token === null ? {} : { authorization: `Bearer ${token}` }),
    ...(body === undefined ? {} : { 'content-type': type, 'content-length': Buffer.byteLength(body) }),
  };
  return new Promise<{ status: number; code: string | undefined; text: string }>((resolve, reject) => {
    const sent = request({ hostname, port, path, method, headers, ca, agent: false }, async (response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of response) chunks.push(chunk as Buffer);
      const text = Buffer.concat(chunks).toString('utf8');
      const { error } = JSON.parse(text) as { error?: { code: string } };
      resolve({ status: response.statusCode ?? 0, code: error?.code, text });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

const order = { run_id: 'run_a', task_id: 't', argv: ['true'], env: {}, env_from: [], working_directory: null };

describe('an agent', () => {
  it('is spoken to over HTTPS by whoever trusts its certificate', async () => {
    const control = openByAgent(agent.url, { ca });
    expect(await control.start(orderOf('run_tls', ['sh', '-c', 'exit 4']))).toEqual({ result: 'started' });
    await eventually(async () =>
      expect((await control.inspect(['run_tls'])).get('run_tls')).toMatchObject({ state: 'exited', exitCode: 4 }),
    );
    await control.close();
    const stranger = openByAgent(agent.url);
    const refusal = await stranger.inspect(['run_tls']).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(RunnerUnreachable);
    expect(String(refusal)).toContain('ca_file has to name the authority of its certificate');
    await stranger.close();
  });

  it('answers nothing without its token, and tells nobody what there is', async () => {
    for (const path of ['/', '/health', '/status', '/runs', '/runs/run_a/log', '/changes', '/nowhere']) {
      for (const token of [null, 'wrong', `${AGENT_TOKEN}x`]) {
        expect(await send(path, { token })).toMatchObject({ status: 401, code: 'unauthorized' });
      }
    }
    const body = JSON.stringify(order);
    expect(await send('/runs', { method: 'POST', body, token: null })).toMatchObject({ status: 401 });
    expect(JSON.parse((await send('/runs')).text).run_ids).not.toContain('run_a');
    const wrong = openByAgent(agent.url, { ca, token: 'another-token-than-its-own' });
    await expect(wrong.list()).rejects.toThrow('it answered 401: the bearer token is wrong');
    await wrong.close();
  });

  it('says that it lives', async () => {
    expect(await send('/health')).toMatchObject({ status: 200, text: '{"ok":true}' });
    expect(await send('/nowhere')).toMatchObject({ status: 404, code: 'not_found' });
  });

  it.each(['..', '%2e%2e', '..%2f..%2fetc', 'a%2fb', '-rf', '.hidden', 'a%00b', 'x'.repeat(200)])(
    'knows no run that is called %s',
    async (id) => {
      expect(await send(`/runs/${id}/log`)).toMatchObject({ status: 404, code: 'not_found' });
      const cancel = { method: 'POST', body: '{"mode":"kill"}' };
      expect(await send(`/runs/${id}/cancel`, cancel)).toMatchObject({ status: 404, code: 'not_found' });
    },
  );

  it.each<[string, Sent & { path?: string }, number]>([
    ['an order with a hostile id', { body: JSON.stringify({ ...order, run_id: '../up' }) }, 400],
    ['an order without a command', { body: JSON.stringify({ ...order, argv: undefined }) }, 400],
    ['an order with a key that it does not know', { body: JSON.stringify({ ...order, shell: true }) }, 400],
    ['an order with a command that is a shell line', { body: JSON.stringify({ ...order, argv: 'true' }) }, 400],
    ['no JSON', { body: '{"run_id":' }, 400],
    ['no UTF-8', { body: Buffer.from([0x22, 0xff, 0x22]) }, 400],
    ['a form', { body: 'run_id=run_a', type: 'application/x-www-form-urlencoded' }, 415],
    ['far too much', { body: JSON.stringify({ ...order, argv: ['x'.repeat(8_400_000)] }) }, 413],
    ['a mode that is none', { path: '/runs/run_a/cancel', body: '{"mode":"maybe"}' }, 400],
    ['a status of hostile ids', { path: '/status', body: '{"run_ids":["../up"]}' }, 400],
  ])('refuses %s, and goes on', async (_what, { path = '/runs', ...sent }, status) => {
    expect((await send(path, { method: 'POST', ...sent })).status).toBe(status);
    expect(await send('/health')).toMatchObject({ status: 200 });
    expect(JSON.parse((await send('/runs')).text).run_ids).not.toContain('run_a');
  });
});
