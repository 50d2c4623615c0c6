/** The socket side: reads a request, logs it, sends the answer. What is answered is decided in `api.ts`. */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { accountOf, authenticate, readCredential } from '../auth/authenticate.ts';
import { type Answer, Refusal } from './answer.ts';
import { type Api, answerRequest, type Received } from './api.ts';

const MOUNT = '/api/v3';
/** GraphQL is mounted beside it. */
const GRAPHQL = '/api/graphql';

/** One request as it was seen. Credentials are not kept, only whose they were. */
export interface RequestLogEntry {
  method: string;
  /** Below `/api/v3`, without the query; `/graphql` for `/api/graphql`. */
  path: string;
  query: string;
  body: unknown;
  /** `app`, `installation 7`, `user ann`; null: nobody known. */
  caller: string | null;
  /** null: not answered (yet). */
  status: number | null;
  /** Epoch milliseconds. */
  at: number;
}

const IDLE_MS = 60_000;

export interface Listening {
  origin: string;
  close: () => Promise<void>;
}

export async function listen(api: Api, log: RequestLogEntry[], port: number): Promise<Listening> {
  const server = createServer((incoming, outgoing) => {
    serve(api, log, incoming, outgoing).catch((error: unknown) => {
      api.violations.push({ where: `${incoming.method} ${incoming.url}`, problem: `the stand-in failed: ${error}` });
      outgoing.destroy();
    });
  });
  // Node closes an idle connection after 5 s, which on a busy machine may be the moment in which it is used again.
  server.keepAliveTimeout = IDLE_MS;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  const { port: taken } = server.address() as AddressInfo;
  return { origin: `http://127.0.0.1:${taken}`, close: () => close(server) };
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

async function serve(
  api: Api,
  log: RequestLogEntry[],
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const url = new URL(incoming.url ?? '/', api.site.origin());
  const text = await readBody(incoming);
  const parsed = parseBody(text);
  const received: Received = {
    method: incoming.method ?? 'GET',
    path: pathOf(url),
    query: url.searchParams,
    headers: incoming.headers as Received['headers'],
    body: parsed.ok ? parsed.value : text,
  };
  const entry = makeEntry(api, received, url.search);
  log.push(entry);
  const answer = parsed.ok ? await answerRequest(api, received) : new Refusal(400, 'Problems parsing JSON').answer;
  if (answer === null) {
    incoming.socket.destroy();
    return;
  }
  entry.status = answer.status;
  send(api, outgoing, answer);
}

function pathOf({ pathname }: URL): string {
  if (pathname === GRAPHQL) return '/graphql';
  return pathname.startsWith(`${MOUNT}/`) ? pathname.slice(MOUNT.length) : pathname;
}

function makeEntry(api: Api, { method, path, headers, body }: Received, query: string): RequestLogEntry {
  return {
    method,
    path,
    query,
    body,
    caller: whoCalls(api, headers.authorization),
    status: null,
    at: api.site.exactly(),
  };
}

function whoCalls(api: Api, authorization: string | undefined): string | null {
  try {
    return accountOf(authenticate(api.site, readCredential(authorization)));
  } catch {
    return null;
  }
}

async function readBody(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

function parseBody(text: string): { ok: true; value: unknown } | { ok: false } {
  if (text === '') return { ok: true, value: undefined };
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch {
    return { ok: false };
  }
}

function send(api: Api, outgoing: ServerResponse, { status, body, headers }: Answer): void {
  const content = body === undefined ? '' : Buffer.isBuffer(body) ? body : JSON.stringify(body);
  outgoing.writeHead(status, {
    date: new Date(api.site.now()).toUTCString(),
    server: 'GitHub.com',
    'x-github-request-id': randomUUID().toUpperCase(),
    'x-github-media-type': 'github.v3; format=json',
    ...(body === undefined ? {} : { 'content-type': 'application/json; charset=utf-8' }),
    ...headers,
  });
  outgoing.end(content);
}
