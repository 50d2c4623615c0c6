/** The web application: REST under `/api/v1`, the webhook's door, health. All of it speaks JSON, errors included. */
import { type Context, Hono } from 'hono';
import { methodNotAllowed } from 'hono/method-not-allowed';
import { secureHeaders } from 'hono/secure-headers';
import { githubWords } from '../engine/github-words.ts';
import { GitHubError, InvalidCursor, RunnerUnreachable } from '../engine/ports.ts';
import { requireAccess } from './access.ts';
import { readObject } from './body.ts';
import { errorResponse, HttpError } from './errors.ts';
import { openApiDocument } from './openapi/document.ts';
import type { WebDeps } from './ports.ts';
import { presentRun } from './present/task.ts';
import { notFound, readId, readQuery, unknown, wrongCursor } from './query.ts';
import { attendRunRoutes, attendTaskRoutes } from './routes/attended.ts';
import { batchRoutes } from './routes/batches.ts';
import { eventRoutes } from './routes/events.ts';
import { healthRoutes } from './routes/health.ts';
import { holdRoutes } from './routes/holds.ts';
import { issueRoutes } from './routes/issues.ts';
import { repositoryRoutes } from './routes/repositories.ts';
import { taskRoutes } from './routes/tasks.ts';
import { webhookHandler } from './routes/webhooks.ts';
import { nothing } from './schemas/requests.ts';

export const WEBHOOK_PATH = '/api/github/webhooks';

export function makeWebApp(deps: WebDeps): Hono {
  const app = new Hono();
  app.onError((error, c) => answerError(error, c, deps));
  app.notFound(() => errorResponse(notFound()));
  // Whether to insist on HTTPS is for the proxy that speaks it.
  app.use(secureHeaders({ strictTransportSecurity: false }));
  app.use(methodNotAllowed({ app, onMethodNotAllowed: (_c, allowed) => wrongMethod(allowed) }));

  app.route('/', healthRoutes(deps));
  if (deps.receiveWebhook !== null) app.post(WEBHOOK_PATH, webhookHandler(deps.receiveWebhook));
  app.route('/api/v1', apiRoutes(deps));
  return app;
}

function apiRoutes(deps: WebDeps): Hono {
  const api = new Hono();
  api.use(requireAccess(deps.apiToken));
  api.route('/batches', batchRoutes(deps));
  api.route('/tasks', taskRoutes(deps));
  api.route('/tasks', attendTaskRoutes(deps));
  api.route('/runs', attendRunRoutes(deps));
  api.route('/holds', holdRoutes(deps));
  api.route('/issues', issueRoutes(deps));
  api.route('/repositories', repositoryRoutes(deps));
  api.route('/events', eventRoutes(deps));
  api.get('/runs/:id', async (c) => {
    const id = readId(c, 'run');
    const run = await deps.reads.run(id);
    if (run === null) throw unknown('run', id);
    return c.json(presentRun(run, deps.insights.silentSince));
  });
  api.post('/sweep', async (c) => {
    await readObject(c, nothing);
    await deps.actions.sweep();
    return c.json({ accepted: true }, 202);
  });
  api.get('/openapi.json', (c) => {
    readQuery(c, nothing);
    return c.json(openApiDocument());
  });
  return api;
}

function wrongMethod(allowed: readonly string[]): Response {
  const allow = allowed.join(', ');
  return errorResponse(
    new HttpError('method_not_allowed', `the method must be one of ${allow}`, { headers: { allow } }),
  );
}

function answerError(error: Error, c: Context, { log }: WebDeps): Response {
  const known = knownError(error, c);
  if (known !== null) return errorResponse(known);
  // What was not meant for the caller goes to the log, not to the caller.
  log.error({ err: error }, 'request failed');
  return errorResponse(new HttpError('internal', 'the request failed inside the app; its log says why'));
}

function knownError(error: Error, c: Context): HttpError | null {
  if (error instanceof HttpError) return error;
  if (error instanceof InvalidCursor) return wrongCursor(c);
  if (error instanceof RunnerUnreachable) return new HttpError('unavailable', 'the runner gave no answer: try again');
  if (error instanceof GitHubError) return new HttpError('unavailable', githubWords(error));
  return null;
}
