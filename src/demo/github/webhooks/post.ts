/** Sends one webhook: signs it as GitHub does, and tells how the receiver answered. It never throws. */
import { createHmac } from 'node:crypto';
import * as http from 'node:http';
import * as https from 'node:https';

/** GitHub waits this long for an answer. */
const TIMEOUT_MS = 10_000;
const KEPT_RESPONSE_CHARACTERS = 10_000;

export interface Receipt {
  /** 0 where no answer came. */
  statusCode: number;
  status: string;
  durationSeconds: number;
  responseHeaders: Record<string, unknown>;
  responseBody: string | null;
}

export function sign(secret: string, body: string): string {
  return `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
}

export interface Parcel {
  headers: Record<string, string>;
  body: string;
}

export async function post(url: string, parcel: Parcel, ending: AbortSignal): Promise<Receipt> {
  const started = performance.now();
  const answer = await send(new URL(url), parcel, AbortSignal.any([ending, AbortSignal.timeout(TIMEOUT_MS)])).catch(
    describeFailure,
  );
  return { ...answer, durationSeconds: Math.round(performance.now() - started) / 1000 };
}

type Answer = Omit<Receipt, 'durationSeconds'>;

function send(url: URL, { headers, body }: Parcel, signal: AbortSignal): Promise<Answer> {
  const { request } = url.protocol === 'https:' ? https : http;
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { method: 'POST', headers, agent: false, signal }, (response) => {
      readText(response).then((text) => resolve(describeAnswer(response, text)), reject);
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

async function readText(response: http.IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8').slice(0, KEPT_RESPONSE_CHARACTERS);
}

function describeAnswer(response: http.IncomingMessage, text: string): Answer {
  const statusCode = response.statusCode ?? 0;
  const accepted = statusCode >= 200 && statusCode < 300;
  return {
    statusCode,
    status: accepted ? 'OK' : `Invalid HTTP Response: ${statusCode}`,
    responseHeaders: response.headers,
    responseBody: text,
  };
}

function describeFailure(error: unknown): Answer {
  const timedOut = error instanceof Error && error.name === 'AbortError';
  return {
    statusCode: 0,
    status: timedOut ? 'timed out' : 'failed to connect to host',
    responseHeaders: {},
    responseBody: null,
  };
}
