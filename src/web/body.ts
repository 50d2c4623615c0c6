/** Bodies, read up to a limit and strictly: UTF-8, JSON or YAML by their declared type, no doubled keys. */
import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import type { z } from 'zod';
import { check } from '../core/documents/check.ts';
import { formatProblem, type Problem, parseJson, parseYaml, type SourceText } from '../core/documents/index.ts';
import { type ErrorCode, HttpError } from './errors.ts';

const MAX_BODY_BYTES = 1_048_576;

const JSON_TYPE = /^application\/json$/;
const YAML_TYPE = /^(application|text)\/(x-)?yaml$/;

/** The text byte by byte, a byte order mark included: signatures are made over it. */
export async function readText(c: Context, maxBytes: number): Promise<string> {
  const bytes = await readBytes(c, maxBytes);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new HttpError('bad_request', 'the body must be UTF-8');
  }
}

/** A document whose own problems are the business of whoever takes it. */
export async function readDocument(c: Context): Promise<SourceText> {
  const type = mediaType(c);
  if (!JSON_TYPE.test(type) && !YAML_TYPE.test(type)) throw wrongType(type, 'application/json or application/yaml');
  const text = await readText(c, MAX_BODY_BYTES);
  const parsed = JSON_TYPE.test(type) ? parseJson(text) : parseYaml(text);
  if (parsed.ok) return parsed.value;
  throw unreadable(JSON_TYPE.test(type) ? 'bad_request' : 'invalid_document', 'the batch document', parsed.problems);
}

/** A small JSON object; no body at all is an empty one. */
export async function readObject<S extends z.ZodType>(
  c: Context,
  schema: S,
  maxBytes = MAX_BODY_BYTES,
): Promise<z.output<S>> {
  const text = await readText(c, maxBytes);
  if (text !== '' && !JSON_TYPE.test(mediaType(c))) throw wrongType(mediaType(c), 'application/json');
  const source = text === '' ? null : parseJson(text);
  if (source?.ok === false) throw unreadable('bad_request', 'the body', source.problems);
  const parsed = check(schema, source === null ? {} : source.value.value);
  if (parsed.ok) return parsed.value;
  throw new HttpError('bad_request', 'the body is not what this call takes', { problems: parsed.problems });
}

/** The first problem may be what all others come from. */
function unreadable(code: ErrorCode, what: string, problems: readonly Problem[]): HttpError {
  const [first] = problems.map(formatProblem);
  return new HttpError(code, `${what} can not be read: ${first}`, { problems });
}

export function mediaType(c: Context): string {
  return (c.req.header('content-type') ?? '').split(';')[0]!.trim().toLowerCase();
}

export function wrongType(given: string, accepted: string): HttpError {
  return new HttpError('unsupported_media_type', `the content type must be ${accepted}, not ${given || 'missing'}`);
}

async function readBytes(c: Context, maxBytes: number): Promise<Uint8Array> {
  if (Number(c.req.header('content-length') ?? 0) > maxBytes) throw tooLarge(maxBytes);
  const chunks: Uint8Array[] = [];
  let size = 0;
  // A body without a declared length is counted while it comes.
  for await (const chunk of chunksOf(c)) {
    size += chunk.byteLength;
    if (size > maxBytes) throw tooLarge(maxBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** From Node's own request where there is one: the web's stream around it takes as long as all the rest of a webhook's answer. */
function chunksOf(c: Context): AsyncIterable<Uint8Array> | Iterable<Uint8Array> {
  const incoming = (c.env as Partial<HttpBindings> | undefined)?.incoming;
  // Who stops reading still has an answer to write on this connection.
  if (incoming !== undefined) return incoming.iterator({ destroyOnReturn: false });
  return c.req.raw.body ?? [];
}

function tooLarge(maxBytes: number): HttpError {
  // The rest of the body is not read: the connection can't serve another request.
  return new HttpError('body_too_large', `the body must be at most ${maxBytes} bytes`, {
    headers: { connection: 'close' },
  });
}
