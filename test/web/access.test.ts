import { request } from 'node:http';
import { networkInterfaces } from 'node:os';
import { afterEach, describe, expect, it } from 'vitest';
import { makeTask, startFakeApp } from './fake-app.ts';

let app: Awaited<ReturnType<typeof startFakeApp>>;
afterEach(() => app.close());

/** fetch would set Host by itself. */
function ask(options: { method?: string; path?: string; host?: string; headers?: Record<string, string> }) {
  return new Promise<number>((resolve, reject) => {
    const { method = 'GET', path = '/api/v1/tasks/task_1', host = '127.0.0.1', headers = {} } = options;
    request({ host, port: app.server.port, path, method, headers, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    })
      .on('error', reject)
      .end();
  });
}

describe('with a token', () => {
  it.each([
    ['none at all', {}, 401],
    ['a wrong one', { authorization: 'Bearer a-token-of-some-lengtH' }, 401],
    ['its beginning', { authorization: 'Bearer a-token-of-some' }, 401],
    ['an empty one', { authorization: 'Bearer ' }, 401],
    ['another scheme', { authorization: 'Basic a-token-of-some-length' }, 401],
    ['the right one', { authorization: 'bearer a-token-of-some-length' }, 200],
  ])('%s: reads and writes alike', async (_what, headers, status) => {
    app = await startFakeApp();
    app.world.tasks = [makeTask()];
    expect(await ask({ headers })).toBe(status);
    const write = await ask({ headers, method: 'POST', path: '/api/v1/tasks/task_1/cancel' });
    expect(write).toBe(status === 200 ? 202 : 401);
    expect(app.world.acts).toHaveLength(status === 200 ? 1 : 0);
  });

  it('tells nobody without it which paths exist', async () => {
    app = await startFakeApp();
    expect(await ask({ path: '/api/v1/nothing' })).toBe(401);
    expect(await ask({ path: '/api/v1/batches', method: 'PATCH' })).toBe(401);
  });

  it('leaves health open, and metrics to this machine', async () => {
    app = await startFakeApp();
    expect(await ask({ path: '/healthz' })).toBe(200);
    expect(await ask({ path: '/metrics' })).toBe(200);
    expect(await ask({ path: '/metrics', headers: { 'x-forwarded-for': '10.0.0.1' } })).toBe(401);
  });
});

describe('without a token', () => {
  it('reads answer this machine, and nothing can be written', async () => {
    app = await startFakeApp({ apiToken: null });
    app.world.tasks = [makeTask()];
    expect(await ask({})).toBe(200);
    for (const [method, path] of [
      ['POST', '/api/v1/batches'],
      ['POST', '/api/v1/tasks/task_1/cancel'],
      ['DELETE', '/api/v1/tasks/task_1/issue'],
      ['POST', '/api/v1/sweep'],
    ] as const) {
      expect(await ask({ method, path })).toBe(403);
    }
    expect(app.world.acts).toEqual([]);
  });

  it.each([
    ['localhost:3000', 200],
    ['127.0.0.1', 200],
    ['[::1]:3000', 200],
    ['evil.example', 403],
    ['localhost.evil.example', 403],
    ['127.0.0.1.evil.example', 403],
  ])('a caller that speaks to %s gets %d', async (host, status) => {
    app = await startFakeApp({ apiToken: null });
    app.world.tasks = [makeTask()];
    expect(await ask({ headers: { host } })).toBe(status);
  });

  it.each(['forwarded', 'x-forwarded-for', 'X-Forwarded-Host', 'x-forwarded-anything', 'via'])(
    'a request that was passed on with %s is refused',
    async (name) => {
      app = await startFakeApp({ apiToken: null });
      expect(await ask({ headers: { [name]: '127.0.0.1' } })).toBe(403);
      expect(await ask({ path: '/metrics', headers: { [name]: '127.0.0.1' } })).toBe(403);
    },
  );

  it('a caller from another address is refused, whatever Host it names', async () => {
    const address = Object.values(networkInterfaces())
      .flat()
      .find((one) => one?.family === 'IPv4' && !one.internal)?.address;
    app = await startFakeApp({ apiToken: null }, '0.0.0.0');
    // On a machine without a network there is no other address to come from.
    if (address !== undefined) expect(await ask({ host: address, headers: { host: 'localhost' } })).toBe(403);
    expect(await ask({ headers: { host: 'localhost' } })).toBe(404);
  });
});
