/** The HTTP server's orderly end, on real connections. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { type HttpServer, serveHttp } from '../../src/web/server.ts';

let server: HttpServer;
let client: Socket;

afterEach(async () => {
  client?.destroy();
  await server?.close(0);
});

it('closes a connection with the answer that was due on it, instead of serving it on', async () => {
  let answer = () => {};
  const held = new Promise<void>((resolve) => {
    answer = resolve;
  });
  let asked = () => {};
  const isAsked = new Promise<void>((resolve) => {
    asked = resolve;
  });
  const fetch = async () => {
    asked();
    await held;
    return new Response('the answer');
  };
  server = await serveHttp({ app: { fetch }, host: '127.0.0.1', port: 0 });
  client = connect(server.port, '127.0.0.1');
  let read = '';
  const ask = () => client.write('GET / HTTP/1.1\r\nHost: here\r\n\r\n');
  client.on('data', (chunk: Buffer) => {
    read += chunk.toString();
    ask();
  });
  client.on('error', () => {});
  ask();
  await isAsked;
  // Far longer than the test may take: nothing is cut.
  const closed = server.close(600_000);
  answer();
  await Promise.all([closed, once(client, 'close')]);
  expect(read.split('\r\n\r\n').slice(1)).toEqual(['the answer']);
});
