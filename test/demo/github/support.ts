/** A stand-in GitHub with one repository, plain requests to it, and a receiver of its webhooks. */
import { createSign } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach } from 'vitest';
import { makeKeyPair } from '../../../src/demo/github/auth/keys.ts';
import {
  type KeyPair,
  type StandInGitHub,
  type StandInOptions,
  startStandInGitHub,
} from '../../../src/demo/github/index.ts';
import { expectNoViolations, withOpenApiCheck } from '../../support/openapi/index.ts';

/** Every stand-in is closed after its test, which fails for whatever contradicted GitHub's description, unless told otherwise. */
export function makeStarter(check = expectNoViolations): (options?: StandInOptions) => Promise<StandInGitHub> {
  const running: StandInGitHub[] = [];
  let keys: KeyPair | undefined;
  afterEach(async () => {
    await Promise.all(running.map((github) => github.close()));
    check(...running.splice(0));
  });
  return async (options = {}) => {
    keys ??= await makeKeyPair();
    const github = await startStandInGitHub(withOpenApiCheck({ keys, ...options }));
    running.push(github);
    github.addRepository('acme/widgets');
    return github;
  };
}

export interface Ask {
  token?: string;
  body?: unknown;
  headers?: Record<string, string>;
}

export interface Reply {
  status: number;
  headers: Headers;
  text: string;
  json: Record<string, unknown>;
  list: Record<string, unknown>[];
}

export async function ask(github: StandInGitHub, what: string, { token, body, headers }: Ask = {}): Promise<Reply> {
  const [method = 'GET', path = '/'] = what.split(' ');
  const url = path.startsWith('http') ? path : `${github.apiUrl}${path}`;
  const response = await fetch(url, {
    method,
    redirect: 'manual',
    headers: { ...(token ? { authorization: `Bearer ${token}` } : {}), ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const value: unknown =
    /json/.test(response.headers.get('content-type') ?? '') && text !== '' ? JSON.parse(text) : null;
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: (value ?? {}) as Record<string, unknown>,
    list: Array.isArray(value) ? value : [],
  };
}

export interface Claims {
  iss?: unknown;
  /** Seconds, relative to now. */
  iat?: number;
  exp?: number;
}

export function makeJwt(github: StandInGitHub, claims: Claims = {}, key = github.privateKey): string {
  const now = github.now().getTime() / 1000;
  const { iss = github.appId, iat = -30, exp = 540 } = claims;
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const signed = `${encode({ alg: 'RS256', typ: 'JWT' })}.${encode({ iss, iat: now + iat, exp: now + exp })}`;
  return `${signed}.${createSign('RSA-SHA256').update(signed).sign(key, 'base64url')}`;
}

export async function takeInstallationToken(github: StandInGitHub, body?: unknown): Promise<string> {
  const path = `/app/installations/${github.installationId}/access_tokens`;
  const reply = await ask(github, `POST ${path}`, { token: makeJwt(github), body });
  return String(reply.json.token);
}

export interface Received {
  headers: IncomingHttpHeaders;
  body: string;
  payload: Record<string, never>;
}

export interface Receiver {
  url: string;
  received: Received[];
  /** What it answers from now on; default 200. */
  answerWith: (status: number) => void;
}

/** Where webhooks arrive; closed after the test. */
export function makeReceivers(): (options?: { answering?: boolean }) => Promise<Receiver> {
  const servers: Server[] = [];
  afterEach(async () => {
    await Promise.all(servers.splice(0).map((server) => new Promise((resolve) => server.close(resolve))));
  });
  return async ({ answering = true } = {}) => {
    const received: Received[] = [];
    let status = 200;
    const server = createServer(async (incoming, outgoing) => {
      const chunks: Buffer[] = [];
      for await (const chunk of incoming) chunks.push(chunk as Buffer);
      const body = Buffer.concat(chunks).toString('utf8');
      received.push({ headers: incoming.headers, body, payload: JSON.parse(body) });
      if (answering) outgoing.writeHead(status).end('noted');
    });
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    return {
      url: `http://127.0.0.1:${port}/api/github/webhooks`,
      received,
      answerWith: (wanted) => {
        status = wanted;
      },
    };
  };
}
