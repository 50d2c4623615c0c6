// From the close to SIGTERM: real runs of a shell that notes when its TERM comes, closed one by one and then many at once.
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { median, ms, percentile, table } from '../support/numbers.mjs';
import { makeAgent, post } from '../support/post.mjs';
import { addIssues, REPOSITORY, rest, submitBatch, until, WEBHOOK_PATH, withWorld } from '../support/world.mjs';

const WAVES = 10;
const ALIVE = 20;
/** Of the waves, the last ones are closed in one moment each. */
const BURST_WAVES = 3;
const AIM_MS = 50;
const POLLING_SECONDS = 30;

/** Ends by itself if everything else fails. */
const NOTE_TERM = `trap 'date +%s%N >"$1.tmp"; mv "$1.tmp" "$1"; exit 0' TERM
: >"$1.ready"
for i in 1 2 3 4 5 6; do sleep 10 & wait $!; done`;

export function measureStopLatency() {
  return withWorld(async (world) => {
    await addIssues(world, 1, (WAVES + BURST_WAVES) * ALIVE);
    const app = await world.startApp();
    const agent = makeAgent();
    const single = [];
    const burst = [];
    try {
      for (let wave = 0; wave < WAVES + BURST_WAVES; wave++) {
        const closed = await closeWave({ world, app, agent }, wave, wave >= WAVES);
        (wave < WAVES ? single : burst).push(...closed);
      }
    } finally {
      agent.destroy();
    }
    return report(single, burst, await levelOf(app));
  });
}

async function closeWave({ world, app, agent }, wave, together) {
  const from = wave * ALIVE + 1;
  const to = from + ALIVE - 1;
  const noteOf = (issue) => join(world.dir, `issue-${issue}`);
  const run = (issue) => ['sh', '-c', NOTE_TERM, 'sh', noteOf(issue)];
  const { id } = await submitBatch(app, `wave-${wave}`, { from, to, maxParallel: ALIVE, run });
  const issues = Array.from({ length: ALIVE }, (_, i) => from + i);
  await until(`the runs of wave ${wave} are running`, async () => {
    const live = await app.ask('live');
    return (
      live === ALIVE && (await Promise.all(issues.map((issue) => exists(`${noteOf(issue)}.ready`)))).every(Boolean)
    );
  });
  const runs = await runsOf(app, id);

  const close = async (issue) => {
    const { headers, body } = world.github.issue(REPOSITORY, issue).close({ by: 'ann', reason: 'completed' });
    const sent = await post(agent, { url: `${app.url}${WEBHOOK_PATH}`, headers, body });
    await until(`TERM reached the run of issue ${issue}`, () => exists(noteOf(issue)), { seconds: 20, everyMs: 5 });
    return { ...sent, runId: runs.get(issue), notedAt: Number(await readFile(noteOf(issue), 'utf8')) / 1e6 };
  };
  const closed = [];
  if (together) closed.push(...(await Promise.all(issues.map(close))));
  else for (const issue of issues) closed.push(await close(issue));

  await until(`wave ${wave} is over`, async () => (await rest(app, 'GET', `/batches/${id}`)).state === 'completed');
  return withTimes(app, closed);
}

async function runsOf(app, batchId) {
  const { tasks } = await rest(app, 'GET', `/batches/${batchId}`);
  return new Map(tasks.map(({ issue, runs }) => [issue, runs.at(-1).id]));
}

/**
 * In ms from the moment at which the client sent the webhook, so that a request which waits unread counts too: an app that is
 * too busy to read would else look quick.
 */
async function withTimes(app, closed) {
  const arrivals = new Map(await app.ask('arrivals'));
  const stops = new Map(await app.ask('stops'));
  return closed.map(({ guid, sentAt, runId, notedAt }) => {
    const arrivedAt = arrivals.get(guid);
    const { calledAt, signalledAt } = stops.get(runId);
    return {
      read: arrivedAt - sentAt,
      decided: calledAt - sentAt,
      signalled: signalledAt - sentAt,
      noted: notedAt - sentAt,
    };
  });
}

async function levelOf(app) {
  const response = await fetch(`${app.url}/readyz`);
  const { runners } = await response.json();
  return runners.local.containment;
}

function exists(path) {
  return stat(path).then(
    () => true,
    () => false,
  );
}

function report(single, burst, level) {
  const row = (name, closed, key) => {
    const values = closed.map((one) => one[key]);
    return [name, ms(median(values)), ms(percentile(values, 99)), ms(Math.max(...values))];
  };
  const signalled = single.map((one) => one.signalled);
  const p99 = percentile(signalled, 99);
  const times = Math.round((POLLING_SECONDS * 500) / median(signalled));
  return {
    title: `Webhook to SIGTERM (${single.length} closes, ${ALIVE} runs alive, containment ${level})`,
    table: table([
      ['', 'median', 'p99', 'max'],
      row('sent by client to read by the app', single, 'read'),
      row('sent by client to signal decided', single, 'decided'),
      row('sent by client to SIGTERM sent', single, 'signalled'),
      row("sent by client to run's own note (a fork of date included)", single, 'noted'),
      row(`sent by client to SIGTERM sent, ${ALIVE} closed in one moment`, burst, 'signalled'),
    ]),
    meaning:
      `Polling every ${POLLING_SECONDS} s would stop a run after ${POLLING_SECONDS / 2} s on average: ` +
      `the median here is ${times.toLocaleString('en')} times sooner.`,
    aims: [{ aim: `p99 below ${AIM_MS} ms`, value: ms(p99), met: p99 < AIM_MS }],
  };
}
