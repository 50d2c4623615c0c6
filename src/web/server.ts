/** The HTTP server around the web application: listens, bounds what a slow or large caller can take, and closes in order. */
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { errorResponse, HttpError } from './errors.ts';

const HEADERS_TIMEOUT_MS = 10_000;
/** For a whole request, body included: 25 MB must fit through. */
const REQUEST_TIMEOUT_MS = 60_000;
const MAX_HEADER_BYTES = 16_384;

export interface HttpServer {
  host: string;
  /** The one that was given, or the one that the system chose for 0. */
  port: number;
  /** Takes no new connection, lets requests finish for `graceMs`, then cuts them off. */
  close(graceMs: number): Promise<void>;
}

/** Rejects with the system's error where it can't listen, e.g. `EADDRINUSE`. */
export async function serveHttp(options: {
  app: { fetch: Parameters<typeof getRequestListener>[0] };
  host: string;
  port: number;
  /** PEM; without it, plain HTTP. */
  tls?: { cert: string; key: string } | undefined;
}): Promise<HttpServer> {
  const listener = getRequestListener(options.app.fetch, {
    // Our own globals stay as they are.
    overrideGlobalObjects: false,
    errorHandler: () => errorResponse(new HttpError('bad_request', 'the request can not be read')),
  });
  const bounds = {
    headersTimeout: HEADERS_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    maxHeaderSize: MAX_HEADER_BYTES,
  };
  const { tls } = options;
  const server = tls ? createTlsServer({ ...bounds, ...tls }, listener) : createServer(bounds, listener);
  server.on('request', (_request, response) => {
    response.once('close', () => {
      // Whoever asks again and again on one connection would be served until that is cut, and be waited for.
      if (!server.listening) server.closeIdleConnections();
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, () => {
      server.off('error', reject);
      resolve();
    });
  });
  const { port } = server.address() as AddressInfo;
  return { host: options.host, port, close: (graceMs) => closeServer(server, graceMs) };
}

function closeServer(server: ReturnType<typeof createServer>, graceMs: number): Promise<void> {
  return new Promise((resolve) => {
    const cut = setTimeout(() => server.closeAllConnections(), graceMs);
    server.close(() => {
      clearTimeout(cut);
      resolve();
    });
    server.closeIdleConnections();
  });
}
