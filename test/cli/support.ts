/** The command line in front of an app that answers what a test puts there. */
import { type CliDeps, runCli } from '../../src/cli/index.ts';
import { serveHttp } from '../../src/web/server.ts';

/** How long conditions are waited for: long, since a busy machine is no failure. */
export const WAIT = { timeout: 20_000, interval: 5 };

export interface FakeApp {
  url: string;
  batch: Record<string, unknown>;
  events: Record<string, unknown>[];
  /** Answers of other calls, by `METHOD path`. */
  answers: Record<string, { status?: number; body: unknown; after?: Promise<unknown> }>;
  /** What was asked, without reads of the batch and the journal. */
  calls: { call: string; body: unknown }[];
  /** How often the batch was looked at, and how often anything was asked. */
  looks: number;
  requests: number;
  /** Whether it answers at all. */
  up: boolean;
  close(): Promise<void>;
}

export async function startApp(): Promise<FakeApp> {
  const app: FakeApp = {
    url: '',
    batch: batchAs(),
    events: [],
    answers: {},
    calls: [],
    looks: 0,
    requests: 0,
    up: true,
    close: () => server.close(0),
  };
  const server = await serveHttp({ app: { fetch: (request) => answer(app, request) }, host: '127.0.0.1', port: 0 });
  app.url = `http://127.0.0.1:${server.port}`;
  return app;
}

async function answer(app: FakeApp, request: Request): Promise<Response> {
  const { pathname, searchParams } = new URL(request.url);
  const call = `${request.method} ${pathname.replace('/api/v1', '')}`;
  app.requests += 1;
  if (!app.up) return Response.json({ error: { code: 'unavailable', message: 'it is starting' } }, { status: 503 });
  if (call === 'GET /events') return Response.json(journal(app, searchParams));
  if (call === 'GET /batches/batch_1') {
    app.looks += 1;
    return Response.json(app.batch);
  }
  const text = await request.text();
  app.calls.push({ call: `${call}${searchParams.size > 0 ? `?${searchParams}` : ''}`, body: text && JSON.parse(text) });
  const known = app.answers[call];
  if (known === undefined) {
    return Response.json({ error: { code: 'not_found', message: 'there is nothing here' } }, { status: 404 });
  }
  await known.after;
  return Response.json(known.body, { status: known.status ?? 200 });
}

function journal(app: FakeApp, query: URLSearchParams): object {
  const asked = query.get('after');
  const after = asked === 'latest' ? (app.events.at(-1)?.id ?? null) : asked;
  const items = app.events.filter(({ id }) => Number(id) > Number(after)).slice(0, Number(query.get('limit')));
  return { items, next: items.at(-1)?.id ?? after };
}

export function batchAs(changes: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    ...{ id: 'batch_1', repository: 'acme/widgets', name: 'nightly', state: 'running', stuck: false },
    ...{ on_failure: 'continue', hold: null, order: null, counts: { running: 1 }, outcomes: {}, next_steps: [] },
    tasks: [taskAs()],
    ...changes,
  };
}

export function taskAs(changes: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    ...{ id: 'task_1', key: 'train', name: 'Train', repository: 'acme/widgets', issue: 13, state: 'running' },
    ...{ cause: null, actor: null, waiting_on: null, not_before: null, hold: null, blockers: [], runs: [] },
    ...changes,
  };
}

export function runAs(changes: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    ...{ id: 'run_1', number: 1, purpose: 'work', state: 'running', reason: null, exit_code: null, signal: null },
    ...{ cause: null, started_at: '2026-01-02T12:00:00.000Z', cancel_requested_at: null },
    ...changes,
  };
}

/** Journals it, with the next id. */
export function tell(app: FakeApp, type: string, data: object, more: Record<string, unknown> = {}): void {
  const place = { repository: 'acme/widgets', issue: null, batch_id: 'batch_1', task_id: 'task_1', run_id: null };
  const at = new Date(Date.UTC(2026, 0, 2, 12, 0, app.events.length)).toISOString();
  app.events.push({ id: String(app.events.length + 1), type, at, ...place, data: { key: 'train', ...data }, ...more });
}

export interface Ran {
  exitCode: number;
  out: string;
  err: string;
}

export interface Started {
  done: Promise<Ran>;
  out(): string;
  /** As Ctrl-C; false where nothing listens for it, and the process would end. */
  interrupt(): boolean;
}

/** `terminal`: its standard output is one. */
export function start(app: FakeApp, args: readonly string[], terminal?: { columns: number; rows: number }): Started {
  const out: string[] = [];
  const err: string[] = [];
  let stop: (() => void) | null = null;
  const deps: CliDeps = {
    version: '1.2.3',
    env: { STANDDOWN_URL: app.url },
    stdout: { write: (text) => out.push(text), ...(terminal && { isTTY: true, ...terminal }) },
    stderr: { write: (text) => err.push(text) },
    onInterrupt: (listener) => {
      stop = listener;
      return () => {
        stop = null;
      };
    },
    readInput: async () => '{"name": "nightly"}',
    serve: async () => 0,
    demo: async () => 0,
    agent: async () => 0,
    attend: async () => 0,
    migrate: async () => [],
    pollMs: 5,
  };
  const done = runCli(args, deps).then((exitCode) => ({ exitCode, out: out.join(''), err: err.join('') }));
  return {
    done,
    out: () => out.join(''),
    interrupt: () => {
      stop?.();
      return stop !== null;
    },
  };
}

export function run(app: FakeApp, ...args: string[]): Promise<Ran> {
  return start(app, args).done;
}
