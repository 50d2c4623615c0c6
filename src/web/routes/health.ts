/** Outside the API: whether the app lives, whether it takes deliveries, and a few numbers for Prometheus. */
import { Hono } from 'hono';
import { LIVE_RUN_STATES } from '../../core/run.ts';
import { requireLocalOrToken } from '../access.ts';
import type { Health, Reads } from '../ports.ts';

export function healthRoutes({
  health,
  reads,
  apiToken,
}: {
  health: Health;
  reads: Reads;
  apiToken: string | null;
}): Hono {
  const app = new Hono();

  app.get('/healthz', (c) => {
    const ok = health.live();
    return c.json({ ok }, ok ? 200 : 503);
  });

  app.get('/readyz', async (c) => {
    const { ok, body } = await health.ready();
    return c.json(body, ok ? 200 : 503);
  });

  app.get('/metrics', requireLocalOrToken(apiToken), async (c) =>
    c.body(await renderMetrics(health, reads), 200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' }),
  );

  return app;
}

async function renderMetrics(health: Health, reads: Reads): Promise<string> {
  const [backlog, live, missed] = await Promise.all([reads.queries.backlog(), reads.liveRuns(), reads.countMissed()]);
  const lines = [
    '# HELP standdown_backlog Work that is accepted and not done yet.',
    '# TYPE standdown_backlog gauge',
    ...Object.entries(backlog).map(([kind, count]) => `standdown_backlog{kind="${kind}"} ${count}`),
    '# HELP standdown_runs Runs that have not ended, by state.',
    '# TYPE standdown_runs gauge',
    ...LIVE_RUN_STATES.map(
      (state) => `standdown_runs{state="${state}"} ${live.filter((run) => run.state === state).length}`,
    ),
    '# HELP standdown_sweep_errors What the last sweep could not reconcile.',
    '# TYPE standdown_sweep_errors gauge',
    `standdown_sweep_errors ${health.sweepErrors()}`,
    '# HELP standdown_missed_deliveries Webhook deliveries that did not arrive, by what became of them.',
    '# TYPE standdown_missed_deliveries gauge',
    ...Object.entries(missed).map(([state, count]) => `standdown_missed_deliveries{state="${state}"} ${count}`),
  ];
  return `${lines.join('\n')}\n`;
}
