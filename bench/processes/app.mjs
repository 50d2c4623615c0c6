// The app as a process of its own, as `serve` runs it, with three clocks read: when a delivery's request reaches the process,
// when a runner is told to send TERM, and when it has done so. Answers questions of its parent.
import { subscribe } from 'node:diagnostics_channel';
import { readFileSync } from 'node:fs';
import { startApp } from '../../dist/app/compose.js';
import { readConfig, secretsOf } from '../../dist/app/config/index.js';
import { makeLogger } from '../../dist/app/log.js';
import { answerParent, now } from './answer-parent.mjs';

const arrivals = new Map();
const stops = new Map();

subscribe('http.server.request.start', ({ request }) => {
  const id = request.headers['x-github-delivery'];
  if (id !== undefined) arrivals.set(id, now());
});

/** Everything else of the runner stays as it is. */
function timeStops(runner) {
  return {
    ...runner,
    async cancel(runId, mode) {
      const calledAt = now();
      const result = await runner.cancel(runId, mode);
      if (mode === 'term' && !stops.has(runId)) stops.set(runId, { calledAt, signalledAt: now() });
      return result;
    },
  };
}

function wrap(adapters) {
  const timed = new Map(adapters.runners.names().map((name) => [name, timeStops(adapters.runners.get(name))]));
  const runners = { ...adapters.runners, get: (name) => timed.get(name) ?? null, all: () => [...timed.values()] };
  return { ...adapters, runners };
}

const config = readConfig(process.env, (path) => readFileSync(path, 'utf8'));
const log = makeLogger(config.log, secretsOf(config));
const app = await startApp(config, { log, env: process.env, wrap });

answerParent(app.url, {
  memory: () => process.memoryUsage(),
  arrivals: () => [...arrivals],
  stops: () => [...stops],
  live: async () => (await app.deps.store.liveRuns()).filter(({ state }) => state === 'running').length,
  backlog: () => app.deps.store.queries.backlog(),
  close: () => app.close(),
});
