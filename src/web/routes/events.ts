/** `/events`: the journal, page by page or live as server-sent events. Both go on after the last id that was seen. */
import { Hono } from 'hono';
import { type SSEStreamingApi, streamSSE } from 'hono/streaming';
import type { Logger } from '../../engine/ports.ts';
import { withAnyOf } from '../../engine/with-any-of.ts';
import { HttpError } from '../errors.ts';
import type { Reads } from '../ports.ts';
import { readQuery } from '../query.ts';
import { eventsQuery, streamQuery } from '../schemas/requests.ts';
import { viewEvents } from '../views.ts';

const DEFAULT_POLL_MS = 1000;
/** Each asks the database once a poll. */
const MAX_STREAMS = 100;
const BATCH_SIZE = 100;
/** Proxies drop connections that are silent for longer. */
const HEARTBEAT_MS = 15_000;

interface Deps {
  reads: Reads;
  log: Logger;
  streamPollMs?: number;
  closing?: AbortSignal;
}

export function eventRoutes(deps: Deps): Hono {
  const app = new Hono();
  let open = 0;

  app.get('/', async (c) => {
    const { after: asked, limit } = readQuery(c, eventsQuery);
    const after = await positionOf(deps.reads, asked);
    const events = await deps.reads.queries.events(after, limit);
    return c.json({ items: await viewEvents(deps.reads, events), next: events.at(-1)?.id ?? after });
  });

  app.get('/stream', async (c) => {
    const { after } = readQuery(c, streamQuery);
    const from = c.req.header('last-event-id') || (await positionOf(deps.reads, after));
    // Nobody reads the stream of a HEAD, so nothing would ever end it.
    if (c.req.method === 'HEAD') return c.body(null, 200, { 'content-type': 'text/event-stream' });
    // An id that is none has to be told while there is a status to tell it by.
    await deps.reads.queries.events(from, 1);
    if (open >= MAX_STREAMS) throw new HttpError('unavailable', `there are ${MAX_STREAMS} event streams open already`);
    c.header('x-accel-buffering', 'no');
    open += 1;
    return streamSSE(c, async (stream) => {
      await withAnyOf([goneOf(stream), c.req.raw.signal, deps.closing], (ended) =>
        follow(deps, stream, { from, ended }),
      )
        // The stream ends, and the client comes back with the last id that it saw.
        .catch((error) => deps.log.warn({ err: error }, 'event stream failed'))
        .finally(() => {
          open -= 1;
        });
    });
  });

  return app;
}

/** `latest`: where the journal ends now, so that only what comes from now on is told. */
async function positionOf({ queries }: Reads, after: string | undefined): Promise<string | null> {
  return after === 'latest' ? queries.newestEventId() : (after ?? null);
}

async function follow(
  { reads, streamPollMs = DEFAULT_POLL_MS }: Deps,
  stream: SSEStreamingApi,
  { from, ended }: { from: string | null; ended: AbortSignal },
): Promise<void> {
  let after = from;
  let silentMs = HEARTBEAT_MS;
  while (!ended.aborted) {
    const events = await reads.queries.events(after, BATCH_SIZE);
    for (const event of await viewEvents(reads, events)) {
      await stream.writeSSE({ id: event.id, event: event.type, data: JSON.stringify(event) });
      after = event.id;
    }
    silentMs = events.length > 0 ? 0 : silentMs + streamPollMs;
    if (silentMs >= HEARTBEAT_MS) {
      await stream.write(': \n\n');
      silentMs = 0;
    }
    if (events.length < BATCH_SIZE) await pause(streamPollMs, ended);
  }
}

/** The client went away. */
function goneOf(stream: SSEStreamingApi): AbortSignal {
  const gone = new AbortController();
  stream.onAbort(() => gone.abort());
  return gone.signal;
}

function pause(ms: number, ended: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const wake = () => {
      clearTimeout(timer);
      ended.removeEventListener('abort', wake);
      resolve();
    };
    const timer = setTimeout(wake, ms);
    ended.addEventListener('abort', wake);
    if (ended.aborted) wake();
  });
}
