import { createHmac } from 'node:crypto';
import { pino } from 'pino';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { Delivery } from '../../src/engine/ports.ts';
import { MAX_DELIVERY_BYTES, makeWebhookReceiver, type WebhookReceiverOptions } from '../../src/github/webhooks.ts';
import { issueJson, PRIVATE_KEY, playGitHub } from './support.ts';

// No answer is played: whoever asks GitHub while receiving fails.
playGitHub();

const SECRET = 'the-secret-of-the-tests';
const BODY = JSON.stringify({
  action: 'closed',
  issue: issueJson({ title: 'Trainieren für Ümläute' }),
  installation: { id: 7 },
});

let rows: Map<string, Delivery>;
let written: string[];

beforeEach(() => {
  rows = new Map();
  written = [];
});

const inbox = {
  async insert(delivery: Delivery) {
    if (rows.has(delivery.id)) return 'duplicate' as const;
    rows.set(delivery.id, delivery);
    return 'stored' as const;
  },
};

function makeReceiver(options: Partial<WebhookReceiverOptions> = {}) {
  const log = pino({ level: 'trace' }, { write: (line: string) => void written.push(line) });
  const probot = { appId: 1, privateKey: PRIVATE_KEY, secret: SECRET, log };
  return makeWebhookReceiver({ probot, inbox, log, now: () => new Date('2026-01-02T03:04:07Z'), ...options });
}

function sign(body: string | Buffer, secret = SECRET): string {
  return `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
}

function delivery(facts: object = {}, body: string | Buffer = BODY) {
  return { id: 'guid-1', event: 'issues', signature: sign(body), body, ...facts };
}

describe('a signed delivery', () => {
  test('is stored as it came over the wire, and accepted', async () => {
    const { receive } = await makeReceiver();
    expect(await receive(delivery({ body: Buffer.from(BODY) }))).toMatchObject({ status: 202 });
    expect([...rows.values()]).toEqual([
      { id: 'guid-1', event: 'issues', payload: BODY, receivedAt: new Date('2026-01-02T03:04:07Z') },
    ]);
  });

  test('that comes again is known already', async () => {
    const { receive } = await makeReceiver();
    const answers = await Promise.all([receive(delivery()), receive(delivery()), receive(delivery())]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 202]);
    expect(rows.size).toBe(1);
  });

  test.each([
    ['installation', { action: 'created', installation: { id: 7 } }],
    ['installation', { action: 'deleted', installation: { id: 7 } }],
    ['installation', { action: 'suspend', installation: { id: 7 } }],
    ['installation_repositories', { action: 'added', installation: { id: 7 } }],
    ['ping', { zen: 'Keep it logically awesome.' }],
    ['an_event_of_tomorrow', { action: { not: 'a string' } }],
  ])('of %s is stored without asking GitHub anything', async (event, payload) => {
    const { receive } = await makeReceiver();
    expect(await receive(delivery({ event }, JSON.stringify(payload)))).toMatchObject({ status: 202 });
    expect([...rows.values()]).toMatchObject([{ event, payload: JSON.stringify(payload) }]);
  });

  test('is stored beside others that arrive at the same time, each under its own id', async () => {
    const { receive } = await makeReceiver();
    const bodies = Array.from({ length: 20 }, (_, index) => JSON.stringify({ action: 'closed', index }));
    await Promise.all(bodies.map((body, index) => receive(delivery({ id: `guid-${index}` }, body))));
    expect(bodies.map((_, index) => rows.get(`guid-${index}`)?.payload)).toEqual(bodies);
  });
});

describe('nothing is stored', () => {
  test.each([
    ['signed with another secret', { signature: sign(BODY, 'another') }],
    ['signed with Probot’s default', { signature: sign(BODY, 'development') }],
    ['with the signature of another body', { signature: sign(`${BODY} `) }],
    ['with half a signature', { signature: sign(BODY).slice(0, 30) }],
    ['with SHA-1', { signature: `sha1=${createHmac('sha1', SECRET).update(BODY).digest('hex')}` }],
  ])('%s: 401', async (_name, facts) => {
    const { receive } = await makeReceiver();
    expect(await receive(delivery(facts))).toMatchObject({ status: 401 });
    expect(rows.size).toBe(0);
  });

  test.each([
    ['id', { id: undefined }],
    ['event', { event: undefined }],
    ['signature', { signature: undefined }],
    ['event that is a name of the dispatcher', { event: 'error' }],
    ['event that is a name of every object', { event: '__proto__' }],
    ['id with a line break', { id: 'guid\n1' }],
    ['id of any length', { id: 'x'.repeat(5000) }],
  ])('without a usable %s: 400', async (_name, facts) => {
    const { receive } = await makeReceiver();
    expect(await receive(delivery(facts))).toMatchObject({ status: 400 });
    expect(rows.size).toBe(0);
  });

  test.each(['', 'null', '"text"', '12', '[]', '{"action": "clo', 'payload=%7B%7D'])(
    'of the signed body %j: 400',
    async (body) => {
      const { receive } = await makeReceiver();
      expect(await receive(delivery({}, body))).toMatchObject({ status: 400 });
      expect(rows.size).toBe(0);
    },
  );

  test('of a body beyond 25 MB: 413', async () => {
    const { receive } = await makeReceiver();
    const body = Buffer.alloc(MAX_DELIVERY_BYTES + 1, 'x');
    expect(await receive(delivery({ body }))).toMatchObject({ status: 413 });
    expect(rows.size).toBe(0);
  });
});

describe('a delivery that can’t be kept is not accepted', () => {
  test('because the inbox fails', async () => {
    const insert = () => Promise.reject(new Error('database is locked'));
    const { receive } = await makeReceiver({ inbox: { insert } });
    expect(await receive(delivery())).toMatchObject({ status: 503 });
  });

  test('because storing takes longer than the deadline, and is known already once it has happened', async () => {
    const slow = { open: () => {} };
    const gate = new Promise<void>((resolve) => {
      slow.open = resolve;
    });
    const insert = async (row: Delivery) => {
      await gate;
      return inbox.insert(row);
    };
    const { receive } = await makeReceiver({ inbox: { insert }, deadlineMs: 20 });
    expect(await receive(delivery())).toMatchObject({ status: 503 });
    slow.open();
    await vi.waitFor(() => expect(rows.size).toBe(1));
    expect(await receive(delivery())).toMatchObject({ status: 200 });
  });
});

test('neither the secret nor a payload gets into the log', async () => {
  const { receive } = await makeReceiver({ inbox: { insert: () => Promise.reject(new Error('disk full')) } });
  await receive(delivery());
  await receive(delivery({ signature: sign(BODY, 'another') }));
  await receive(delivery({}, '[]'));
  expect(written.join('')).toContain('disk full');
  expect(written.join('')).not.toMatch(new RegExp(`${SECRET}|Trainieren|PRIVATE KEY|sha256=`));
});

test.each(['', undefined])(
  'no receiver is made with the secret %j: Probot would fall back to a known one',
  async (secret) => {
    const probot = { appId: 1, privateKey: PRIVATE_KEY, secret: secret as string };
    await expect(makeReceiver({ probot })).rejects.toThrow('webhook secret');
  },
);
