/** The agent's web application: job control of its machine, for an app elsewhere. JSON, and nothing without its token. */
import type { Context } from 'hono';
import { Hono } from 'hono';
import {
  type AgentStatus,
  type Assigned,
  type Assignment,
  assignment,
  type CancelMode,
  type CancelResult,
  type Changes,
  cancelOrder,
  runIds,
  taskIds,
} from '../core/agent.ts';
import { strict } from '../core/documents/check.ts';
import { line } from '../core/report/text.ts';
import { isRunId } from '../core/run.ts';
import { type Logger, RunnerUnreachable } from '../engine/ports.ts';
import { withAnyOf } from '../engine/with-any-of.ts';
import { requireAccess } from './access.ts';
import { readObject } from './body.ts';
import { errorResponse, HttpError } from './errors.ts';
import { cursor, notFound, readQuery, whole } from './query.ts';

/** More than Linux takes as the command and the environment of one program, as JSON may write it. */
const MAX_BODY_BYTES = 8_388_608;
const MAX_TAIL_BYTES = 1_048_576;
const DEFAULT_TAIL_BYTES = 65_536;

/** What the agent can do. Throws `RunnerUnreachable` where it can't say. */
export interface AgentJobs {
  /** Of these runs, or of all. */
  status(ids: readonly string[] | null): Promise<AgentStatus>;
  known(): Promise<readonly string[]>;
  assign(order: Assignment): Promise<Assigned>;
  cancel(runId: string, mode: CancelMode): Promise<CancelResult>;
  log(runId: string, bytes: number): Promise<string>;
  /** Gives those that are known no more. */
  acknowledge(ids: readonly string[]): Promise<readonly string[]>;
  /** Tasks that have a directory of their own. */
  workspaces(): Promise<readonly string[]>;
  /** Gives those whose directories are being removed. */
  removeWorkspaces(taskIds: readonly string[]): Promise<readonly string[]>;
  /** Waits for a change after that one, for a while. */
  changes(after: string | null, ended: AbortSignal): Promise<Changes>;
}

export interface AgentWebDeps {
  jobs: AgentJobs;
  token: string;
  log: Logger;
  closing: AbortSignal;
}

export function makeAgentApp({ jobs, token, log, closing }: AgentWebDeps): Hono {
  const app = new Hono();
  app.onError((error) => answerError(error, log));
  app.notFound(() => errorResponse(notFound()));
  app.use(requireAccess(token));

  app.get('/health', (c) => c.json({ ok: true }));
  app.get('/status', async (c) => c.json(await jobs.status(null)));
  app.post('/status', async (c) => {
    const { run_ids: ids } = await readObject(c, runIds, MAX_BODY_BYTES);
    return c.json(await jobs.status(ids));
  });
  app.get('/runs', async (c) => c.json({ run_ids: await jobs.known() }));
  app.post('/runs', async (c) => c.json(await jobs.assign(await readObject(c, assignment, MAX_BODY_BYTES))));
  app.post('/runs/:id/cancel', async (c) => {
    const { mode } = await readObject(c, cancelOrder);
    return c.json({ result: await jobs.cancel(readRunId(c), mode) });
  });
  app.get('/runs/:id/log', async (c) => {
    const { tail } = readQuery(c, logQuery);
    return c.json({ text: await jobs.log(readRunId(c), tail) });
  });
  app.post('/ack', async (c) => {
    const { run_ids: ids } = await readObject(c, runIds, MAX_BODY_BYTES);
    return c.json({ acknowledged: await jobs.acknowledge(ids) });
  });
  app.get('/workspaces', async (c) => c.json({ task_ids: await jobs.workspaces() }));
  app.post('/workspaces/remove', async (c) => {
    const { task_ids: ids } = await readObject(c, taskIds, MAX_BODY_BYTES);
    return c.json({ removed: await jobs.removeWorkspaces(ids) });
  });
  app.get('/changes', async (c) => {
    const { after = null } = readQuery(c, changesQuery);
    return c.json(await withAnyOf([closing, c.req.raw.signal], (ended) => jobs.changes(after, ended)));
  });
  return app;
}

const logQuery = strict({ tail: whole(0, MAX_TAIL_BYTES, DEFAULT_TAIL_BYTES) });
const changesQuery = strict({ after: cursor });

function readRunId(c: Context): string {
  const id = c.req.param('id') ?? '';
  if (isRunId(id)) return id;
  throw new HttpError('not_found', `${line(id)} can't be the id of a run`);
}

function answerError(error: Error, log: Logger): Response {
  if (error instanceof HttpError) return errorResponse(error);
  // Whoever has the token may know why: it is what the app shows of this runner.
  if (error instanceof RunnerUnreachable) {
    log.error({ err: error }, 'runs can not be seen or started');
    return errorResponse(new HttpError('unavailable', error.message));
  }
  log.error({ err: error }, 'request failed');
  return errorResponse(new HttpError('internal', 'the request failed inside the agent; its log says why'));
}
