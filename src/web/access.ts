/**
 * Who may ask. With a token configured, everybody needs it. Without one, nothing can be written, and reads answer only a
 * caller on this machine that speaks to it by a name of this machine: a proxy's caller and a page that rebinds its DNS
 * name are neither.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { getConnInfo } from '@hono/node-server/conninfo';
import type { Context, MiddlewareHandler } from 'hono';
import { HttpError } from './errors.ts';

export function requireAccess(apiToken: string | null): MiddlewareHandler {
  return async (c, next) => {
    if (apiToken !== null) requireToken(c, apiToken);
    else requireLocalRead(c);
    await next();
  };
}

/** For metrics: this machine needs no token, others do. */
export function requireLocalOrToken(apiToken: string | null): MiddlewareHandler {
  return async (c, next) => {
    if (!isLocal(c)) {
      if (apiToken === null) throw notLocal();
      requireToken(c, apiToken);
    }
    await next();
  };
}

function requireToken(c: Context, apiToken: string): void {
  const given = /^Bearer +(\S+)$/i.exec(c.req.header('authorization') ?? '')?.[1];
  if (given !== undefined && sameSecret(given, apiToken)) return;
  const message =
    given === undefined ? 'a bearer token is needed: Authorization: Bearer …' : 'the bearer token is wrong';
  throw new HttpError('unauthorized', message, { headers: { 'www-authenticate': 'Bearer realm="standdown"' } });
}

function requireLocalRead(c: Context): void {
  if (c.req.method !== 'GET' && c.req.method !== 'HEAD') {
    throw new HttpError('forbidden', 'writes are off: the app has no STANDDOWN_API_TOKEN');
  }
  if (!isLocal(c)) throw notLocal();
}

function notLocal(): HttpError {
  return new HttpError('forbidden', 'without STANDDOWN_API_TOKEN the app answers only callers on its own machine');
}

/** Both are hashed, so that neither the length nor a common beginning shows in the time it takes. */
function sameSecret(given: string, expected: string): boolean {
  const hash = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(given), hash(expected));
}

function isLocal(c: Context): boolean {
  return isLoopbackAddress(getConnInfo(c).remote.address) && isLoopbackHost(c.req.header('host')) && !isForwarded(c);
}

function isLoopbackAddress(address: string | undefined): boolean {
  return address !== undefined && (address === '::1' || /^(::ffff:)?127\.\d+\.\d+\.\d+$/.test(address));
}

function isLoopbackHost(host: string | undefined): boolean {
  return host !== undefined && /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/i.test(host);
}

function isForwarded(c: Context): boolean {
  return Object.keys(c.req.header()).some((name) => /^(forwarded|x-forwarded-.*|x-real-ip|via)$/.test(name));
}
