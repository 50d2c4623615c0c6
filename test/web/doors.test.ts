/** Webhooks, health, metrics, the live stream, and the server itself. */
import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { serveHttp } from '../../src/web/index.ts';
import { makeEvent, makeRun, startFakeApp, TOKEN } from './fake-app.ts';

let app: Awaited<ReturnType<typeof startFakeApp>>;
beforeEach(async () => {
  app = await startFakeApp();
});
afterEach(() => app.close());

const headers = {
  'content-type': 'application/json',
  'x-github-delivery': 'd-1',
  'x-github-event': 'issues',
  'x-hub-signature-256': 'sha256=abc',
};

function deliver(body: string | Uint8Array<ArrayBuffer> | ReadableStream, changes: Record<string, string> = {}) {
  const init = { method: 'POST', body, duplex: 'half' as const, headers: { ...headers, ...changes } };
  return fetch(`${app.url}/api/github/webhooks`, init);
}

describe("the webhook's door", () => {
  it('hands on what GitHub signed, byte by byte, without asking for a token', async () => {
    const body = '\ufeff{"title": "Zeitüberschreitung 🦉",  "a":1}\n';
    const response = await deliver(body);
    expect([response.status, await response.json()]).toEqual([202, { message: 'stored' }]);
    expect(app.world.webhooks).toEqual([{ id: 'd-1', event: 'issues', signature: 'sha256=abc', body }]);
  });

  it('takes payloads far larger than REST does, up to 25 MB', async () => {
    expect((await deliver('x'.repeat(24_000_000))).status).toBe(202);
    expect((await deliver('x'.repeat(25 * 1_048_576 + 1))).status).toBe(413);
    expect(app.world.webhooks).toHaveLength(1);
  });

  it('counts a body that does not say how long it is', async () => {
    const parts = (count: number) =>
      ReadableStream.from(Array.from({ length: count }, () => Buffer.alloc(65_536, 'x')));
    expect((await deliver(parts(10))).status).toBe(202);
    expect(app.world.webhooks).toMatchObject([{ body: 'x'.repeat(655_360) }]);
    expect((await deliver(parts(401))).status).toBe(413);
    expect(app.world.webhooks).toHaveLength(1);
  });

  it.each(['x-github-delivery', 'x-github-event', 'x-hub-signature-256'])(
    'refuses a delivery without %s',
    async (name) => {
      expect((await deliver('{}', { [name]: '' })).status).toBe(400);
      expect(app.world.webhooks).toEqual([]);
    },
  );

  it('refuses forms, broken text and other methods', async () => {
    expect((await deliver('payload={}', { 'content-type': 'application/x-www-form-urlencoded' })).status).toBe(415);
    expect((await deliver(new Uint8Array([0xff, 0xfe]))).status).toBe(400);
    expect((await fetch(`${app.url}/api/github/webhooks`)).status).toBe(405);
    expect(app.world.webhooks).toEqual([]);
  });

  it('is not there without an App', async () => {
    const other = await startFakeApp({ receiveWebhook: null });
    try {
      expect((await fetch(`${other.url}/api/github/webhooks`, { method: 'POST', body: '{}', headers })).status).toBe(
        404,
      );
    } finally {
      await other.close();
    }
  });
});

describe('health', () => {
  it('is alive, and ready or not with a body that says why', async () => {
    expect((await app.call('GET', '/healthz')).status).toBe(200);
    expect((await app.call('GET', '/readyz')).status).toBe(200);
    app.world.ready = false;
    const response = await app.call('GET', '/readyz');
    expect([response.status, await response.json()]).toMatchObject([503, { status: 'unavailable' }]);
  });

  it('counts what is not done yet', async () => {
    app.world.runs = [makeRun(), makeRun({ id: 'run_2', state: 'stopping' })];
    const text = await (await app.call('GET', '/metrics')).text();
    expect(text).toContain('standdown_backlog{kind="messages"} 2\n');
    expect(text).toContain('standdown_runs{state="stopping"} 1\n');
    expect(text).toContain('standdown_runs{state="starting"} 0\n');
    expect(text).toContain('standdown_sweep_errors 3\n');
    expect(text).toContain('standdown_missed_deliveries{state="missed"} 4\n');
    expect(text).toContain('standdown_missed_deliveries{state="given_up"} 6\n');
  });
});

describe('the live journal', () => {
  async function open(query = '', more: Record<string, string> = {}) {
    const stop = new AbortController();
    const response = await fetch(`${app.url}/api/v1/events/stream${query}`, {
      headers: { authorization: `Bearer ${TOKEN}`, ...more },
      signal: stop.signal,
    });
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    const readUntil = async (part: string) => {
      for (let text = ''; ; ) {
        const { done, value } = await reader.read();
        if (done) throw new Error(`ended after ${text}`);
        text += value;
        if (text.includes(part)) return text;
      }
    };
    return { response, reader, readUntil, stop: () => stop.abort() };
  }

  it('sends what is there and what comes, each with its id', async () => {
    app.world.events = [makeEvent('1')];
    const stream = await open();
    expect(stream.response.headers.get('content-type')).toBe('text/event-stream');
    expect(await stream.readUntil('id: 1\n')).toContain('event: TASK_ENDED\ndata: {"id":"1","type":"TASK_ENDED"');
    app.world.events.push(makeEvent('2', { type: 'RUN_STARTED' }));
    expect(await stream.readUntil('id: 2\n')).toContain('event: RUN_STARTED');
    stream.stop();
  });

  it.each([
    ['after', '?after=2', {}],
    ['Last-Event-ID', '?after=1', { 'last-event-id': '2' }],
  ])('goes on behind the last id that was seen, by %s', async (_by, query, more) => {
    app.world.events = ['1', '2', '3'].map((id) => makeEvent(id));
    const stream = await open(query, more as Record<string, string>);
    const text = await stream.readUntil('id: 3\n');
    expect(text).not.toMatch(/id: [12]\n/);
    stream.stop();
  });

  it('looks no more once nobody listens', async () => {
    const streams = await Promise.all([open(), open()]);
    await Promise.all(streams.map(({ response }) => expect(response.status).toBe(200)));
    await expect.poll(() => app.world.looks).toBeGreaterThan(4);
    for (const stream of streams) stream.stop();
    await app.call('HEAD', '/api/v1/events/stream');
    let before = -1;
    await expect
      .poll(
        () => {
          const still = before === app.world.looks;
          before = app.world.looks;
          return still;
        },
        // Ten times as long as a stream waits between two looks.
        { interval: 100 },
      )
      .toBe(true);
  });

  it('bounds how many listen', async () => {
    const streams = await Promise.all(Array.from({ length: 101 }, () => open()));
    expect(streams.map(({ response }) => response.status).filter((status) => status !== 200)).toEqual([503]);
    for (const stream of streams) stream.stop();
    await expect
      .poll(async () => {
        const stream = await open();
        stream.stop();
        return stream.response.status;
      })
      .toBe(200);
  });

  it('ends when the app closes', async () => {
    const stream = await open();
    const ended = (async () => {
      while (!(await stream.reader.read()).done);
    })();
    await app.close();
    await ended;
  });
});

describe('the server', () => {
  it('finishes a request that runs when it closes, and cuts off what outlasts the grace', async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const slow = await serveHttp({
      app: { fetch: () => held.then(() => new Response('done')) },
      host: '127.0.0.1',
      port: 0,
    });
    const answer = fetch(`http://127.0.0.1:${slow.port}/`).then((response) => response.text());
    const stuck = connect(slow.port, '127.0.0.1');
    await new Promise<void>((resolve) => stuck.once('connect', resolve));
    stuck.write('GET / HTTP/1.1\r\n');
    const cut = new Promise<void>((resolve) => stuck.once('close', () => resolve()));
    stuck.on('error', () => {});
    const closed = slow.close(300);
    release();
    expect(await answer).toBe('done');
    await closed;
    await cut;
  });

  it('says so when the port is taken', async () => {
    await expect(
      serveHttp({ app: { fetch: () => new Response() }, host: '127.0.0.1', port: app.server.port }),
    ).rejects.toThrow('EADDRINUSE');
  });

  it('answers a request line that it can not read, and lives on', async () => {
    const socket = connect(app.server.port, '127.0.0.1');
    const text = await new Promise<string>((resolve) => {
      let received = '';
      socket.on('data', (chunk) => {
        received += String(chunk);
      });
      socket.on('close', () => resolve(received));
      socket.write('GET / HTTP/1.1\r\nhost: a b/@\r\nconnection: close\r\n\r\n');
    });
    expect(text).toMatch(/^HTTP\/1\.1 400 /);
    expect((await fetch(`${app.url}/healthz`)).status).toBe(200);
  });
});
