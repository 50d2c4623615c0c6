/** A smee channel, as a server of its own tells events: what comes by it is posted to the app, and one that is silent is refused. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, expect, it } from 'vitest';
import { StartRefused } from '../../src/engine/ports.ts';
import { startWebhookProxy } from '../../src/github/webhook-proxy.ts';
import { silentLog } from '../support/databases.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function serve(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  const server = createServer(answer);
  servers.push(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

it('posts what comes by the channel to the app, with its signature', async () => {
  let arrived: (delivery: object) => void = () => {};
  const delivery = new Promise<object>((resolve) => {
    arrived = resolve;
  });
  const target = await serve(async (request, response) => {
    arrived({ signature: request.headers['x-hub-signature-256'], body: await text(request) });
    response.end();
  });
  const told = { 'x-hub-signature-256': 'sha256=1', body: { action: 'closed' } };
  const source = await serve((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(`event: ready\ndata: {}\n\ndata: ${JSON.stringify(told)}\n\n`);
  });
  const proxy = await startWebhookProxy({ source, target, log: silentLog });
  expect(await delivery).toEqual({ signature: 'sha256=1', body: '{"action":"closed"}' });
  await proxy.close();
});

it.each([
  ['answers nothing', () => {}],
  ['is no channel', (_: IncomingMessage, response: ServerResponse) => void response.writeHead(404).end()],
])('is refused where it %s, without naming it', async (_, answer) => {
  const source = await serve(answer);
  const starting = startWebhookProxy({ source, target: source, log: silentLog, connectMs: 300 });
  await expect(starting).rejects.toThrow(StartRefused);
  await expect(starting).rejects.toThrow(/^WEBHOOK_PROXY_URL: the channel gives no answer(?!.*127)/);
});
