/**
 * Requests to an agent. Whatever is no whole answer of it is `RunnerUnreachable`: no connection, no answer in time, a redirect, an
 * error, a page of HTML, too much, or something of another shape. An error in the agent's own words is `Refused`. The token is in
 * none of them.
 */
import { Agent, type IncomingMessage, request as plainRequest } from 'node:http';
import { Agent as TlsAgent, request as tlsRequest } from 'node:https';
import { z } from 'zod';
import { RunnerUnreachable } from '../../engine/ports/runner.ts';
import { Refused } from './refused.ts';

const CONNECT_MS = 5_000;
/** What an answer has at most, in bytes, unless more is expected, and in any case: to understand more would hold up everybody else. */
export const SHORT_BYTES = 1_048_576;
export const LONG_BYTES = 33_554_432;
const MAX_REASON = 300;

export interface AgentAddress {
  /** `https://host:port`, or `http://` to this machine. */
  url: string;
  token: string;
  /** PEM of the authority that the agent's certificate is from; default: those that Node.js trusts. */
  ca?: string | undefined;
}

export interface Asked<S extends z.ZodType> {
  method: 'GET' | 'POST';
  path: string;
  /** Sent as JSON. */
  json?: object;
  /** How long the whole exchange may take. */
  withinMs: number;
  answer: S;
  /** Of the answer; default: `SHORT_BYTES`. */
  mostBytes?: number;
  signal?: AbortSignal;
}

export interface Requests {
  send<S extends z.ZodType>(asked: Asked<S>): Promise<z.output<S>>;
  /** Lets go of connections. */
  close(): void;
}

export function makeRequests({ url, token, ca }: AgentAddress): Requests {
  const secure = url.startsWith('https:');
  const agent = secure
    ? new TlsAgent({ keepAlive: true, ...(ca === undefined ? {} : { ca }) })
    : new Agent({ keepAlive: true });

  function exchange({ method, path, json, withinMs, mostBytes, signal }: Asked<z.ZodType>): Promise<string> {
    const body = json === undefined ? undefined : Buffer.from(JSON.stringify(json));
    return new Promise((resolve, reject) => {
      const sent = (secure ? tlsRequest : plainRequest)(new URL(path, url), {
        method,
        agent,
        headers: {
          authorization: `Bearer ${token}`,
          accept: 'application/json',
          ...(body === undefined ? {} : { 'content-type': 'application/json', 'content-length': body.length }),
        },
        ...(signal === undefined ? {} : { signal }),
      });
      const deadline = setTimeout(() => sent.destroy(new Error('no answer in time')), withinMs);
      let answered = false;
      sent.once('close', () => {
        clearTimeout(deadline);
        // A change to another protocol ends the connection without a word: neither an error nor an answer.
        if (!answered) reject(new Error('it closed the connection without an answer'));
      });
      sent.on('error', (error: NodeJS.ErrnoException) => reject(new Broken(error, sent.reusedSocket)));
      sent.once('socket', (socket) => {
        if (!socket.connecting) return;
        const timer = setTimeout(() => sent.destroy(new Error('no connection in time')), CONNECT_MS);
        for (const end of [secure ? 'secureConnect' : 'connect', 'close']) socket.once(end, () => clearTimeout(timer));
      });
      sent.once('response', (response) => {
        answered = true;
        readAnswer(response, Math.min(mostBytes ?? SHORT_BYTES, LONG_BYTES)).then(resolve, (error) => {
          sent.destroy();
          reject(error);
        });
      });
      sent.end(body);
    });
  }

  async function send<S extends z.ZodType>(asked: Asked<S>): Promise<z.output<S>> {
    try {
      const text = await exchange(asked).catch((error: unknown) => {
        // A connection that was kept may be closed just when it is used again. All that is asked for can be asked twice.
        if (error instanceof Broken && error.reused && error.code === 'ECONNRESET') return exchange(asked);
        throw error;
      });
      return understand(text, asked.answer);
    } catch (error) {
      const reason = reasonOf(error).replaceAll(token, '[redacted]').slice(0, MAX_REASON);
      throw error instanceof Refused ? new Refused(error.status, reason) : new RunnerUnreachable(reason);
    }
  }

  return { send, close: () => agent.destroy() };
}

/** Node.js's words for a certificate of an authority that it does not trust. */
const STRANGERS = [
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
];

/** Not the error itself: it may hold what was sent. */
class Broken extends Error {
  readonly code: string | undefined;
  readonly reused: boolean;

  constructor({ code, message }: NodeJS.ErrnoException, reused: boolean) {
    const hint = STRANGERS.includes(code ?? '') ? '; ca_file has to name the authority of its certificate' : '';
    super(`${message || code}${hint}`);
    this.code = code;
    this.reused = reused;
  }
}

async function readAnswer(response: IncomingMessage, mostBytes: number): Promise<string> {
  const { statusCode = 0, headers } = response;
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > mostBytes) throw new Error(`its answer has more than ${mostBytes} bytes`);
    chunks.push(chunk);
  }
  const text = Buffer.concat(chunks).toString('utf8');
  if (statusCode >= 300 && statusCode < 400) throw new Error(`it answered ${statusCode}: redirects are not followed`);
  if (statusCode !== 200) throw refusalIn(statusCode, text);
  const type = (headers['content-type'] ?? '').split(';')[0];
  if (type !== 'application/json') throw new Error(`its answer is ${type || 'of no type'}, not application/json`);
  return text;
}

const errorBody = z.object({ error: z.object({ message: z.string() }) });

/** Whoever does not know us says nothing else either, and neither does a proxy on the way. */
function refusalIn(statusCode: number, text: string): Error {
  const found = errorBody.safeParse(parsed(text));
  if (!found.success) return new Error(`it answered ${statusCode}: not as an agent does`);
  const words = `it answered ${statusCode}: ${found.data.error.message}`;
  return statusCode === 401 || statusCode === 403 ? new Error(words) : new Refused(statusCode, words);
}

function understand<S extends z.ZodType>(text: string, answer: S): z.output<S> {
  const value = parsed(text);
  if (value === undefined) throw new Error('its answer is no JSON');
  const found = answer.safeParse(value);
  if (found.success) return found.data;
  const [issue] = found.error.issues;
  throw new Error(`its answer is not whole: ${issue?.path.join('.') || 'all of it'}: ${issue?.message ?? 'wrong'}`);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
