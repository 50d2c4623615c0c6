// What it costs to notice what happens to issues, and how soon it is noticed: Standdown's sweep, which asks each repository for
// what changed, against one request for each linked issue, which is how it began. Without any webhook.
import { setTimeout as delay } from 'node:timers/promises';
import { mb, median, ms, percentile, table } from '../support/numbers.mjs';
import { taskIdOf } from '../support/tracked-database.mjs';
import { withTrackedWorld } from '../support/tracked-world.mjs';
import { until } from '../support/world.mjs';

/** `polls`: who else is measured there. What asks for each issue takes long, and as long for as many issues in other repositories. */
const SIZES = [
  { repositories: 1, issuesEach: 1_000, polls: ['poll', 'poll_with_etags', 'check'] },
  { repositories: 10, issuesEach: 1_000, polls: ['poll'] },
  { repositories: 100, issuesEach: 100, polls: [] },
];
const LARGE = { repositories: 100, issuesEach: 1_000 };
const WAYS = {
  sweep: 'Standdown',
  poll: 'one GET per task',
  poll_with_etags: 'the same with ETags',
  check: 'the same, each answer written down',
};
const WARM_UP = { sweep: 4, poll: 0, poll_with_etags: 1, check: 0 };
const SWEEPS = 3;
const POLLS = 1;
const CHANGING = 0.01;
const INTERVAL_SECONDS = 1;
const CLOSES = 40;
const CLOSES_OVER_MS = 8_000;
const AIM_REQUESTS = 2;
const AIM_GROWTH = 1.5;
const AIM_PEAK_BYTES = 300e6;

export async function measureSweep() {
  const worlds = [];
  for (const size of SIZES) worlds.push(await withTrackedWorld(size, (world) => measureWorld(world, size)));
  const large = await withTrackedWorld(LARGE, measureLarge);
  return report(worlds, large);
}

async function measureWorld(world, size) {
  const costs = {};
  const latencies = {};
  for (const way of ['sweep', ...size.polls]) costs[way] = await costsOf(world, way);
  for (const way of ['sweep', 'poll'].filter((way) => way in costs)) {
    latencies[way] = await latenciesOf(world, way, costs[way].quiet.wallMs);
  }
  return { size, costs, latencies };
}

async function costsOf(world, way) {
  const follower = await world.follow(way, 0);
  try {
    await follower.ask('start');
    await warmUp(follower, way);
    const rounds = way === 'sweep' ? SWEEPS : POLLS;
    const quiet = await medianOf(rounds, () => passAfter(world, follower, 0));
    const changing = await medianOf(rounds, () => passAfter(world, follower, world.tasks * CHANGING));
    return { quiet, changing };
  } finally {
    await follower.close();
  }
}

/** Who remembers ETags has to have seen them, of listings that begin where the next ones do: a second or more apart. */
async function warmUp(follower, way) {
  for (let passes = WARM_UP[way]; passes > 0; passes--) {
    if (way === 'sweep') await delay(INTERVAL_SECONDS * 1_200);
    await follower.ask('pass');
  }
}

/** Titles change, so that noticing is all that there is to do. Passes back to back are none that anybody makes. */
async function passAfter({ github }, follower, changes) {
  await delay(INTERVAL_SECONDS * 1_200);
  const changed = await github.ask('change', { what: 'edit', count: changes, overMs: 0 });
  await github.ask('spent');
  const pass = { ...(await follower.ask('pass')), ...(await github.ask('spent')) };
  const versions = new Map(changes === 0 ? [] : await follower.ask('versions'));
  const missed = changed.filter(({ repositoryId, number, at }) => {
    const version = versions.get(`${repositoryId}#${number}`) ?? 0;
    return version < Math.floor(at / 1_000) * 1_000;
  });
  if (missed.length > 0) throw new Error(`${missed.length} of ${changes} changes were not noticed`);
  return pass;
}

/** Of each cost by itself. */
async function medianOf(rounds, work) {
  const passes = [];
  for (let i = 0; i < rounds; i++) passes.push(await work());
  const keys = ['requests', 'quota', 'wallMs', 'cpuMs'];
  return Object.fromEntries(keys.map((key) => [key, median(passes.map((pass) => pass[key]))]));
}

/** In ms, from a close at GitHub to the end of its task in the database. Closes go on for as long as one pass takes. */
async function latenciesOf(world, way, passMs) {
  const follower = await world.follow(way, INTERVAL_SECONDS);
  try {
    await follower.ask('start');
    const overMs = Math.max(CLOSES_OVER_MS, passMs);
    const closing = world.github.ask('change', { what: 'close', count: CLOSES, overMs });
    const ends = way === 'sweep' ? await endsOfEngine(follower) : await endsOfPolling(follower);
    return (await closing).map(({ repositoryId, number, at }) => ends.get(taskIdOf(repositoryId, number)) - at);
  } finally {
    await follower.close();
  }
}

async function endsOfEngine(follower) {
  let ends = [];
  await until('every close is noticed', async () => {
    ends = await follower.ask('ends');
    return ends.length === CLOSES;
  });
  return new Map(ends);
}

/** A pass that takes longer than the interval is followed by the next at once. */
async function endsOfPolling(follower) {
  for (;;) {
    const { wallMs } = await follower.ask('pass');
    const ends = await follower.ask('ends');
    if (ends.length === CLOSES) return new Map(ends);
    await delay(Math.max(0, INTERVAL_SECONDS * 1_000 - wallMs));
  }
}

async function measureLarge(world) {
  const follower = await world.follow('sweep', 0);
  try {
    await world.github.ask('spent');
    const verification = { ...(await follower.ask('start')), ...(await world.github.ask('spent')) };
    await warmUp(follower, 'sweep');
    const quiet = await medianOf(SWEEPS, () => passAfter(world, follower, 0));
    return { verification, quiet, peak: await follower.ask('peakMemory') };
  } finally {
    await follower.close();
  }
}

const count = (value) => value.toLocaleString('en');
const nameOf = ({ repositories, issuesEach }) => `${repositories} × ${count(issuesEach)}`;

function report(worlds, large) {
  const requests = worlds.map(({ size, costs }) => costs.sweep.quiet.requests / size.repositories);
  const quota = Math.max(...worlds.map(({ costs }) => costs.sweep.quiet.quota), large.quiet.quota);
  const most = Math.max(...requests, large.quiet.requests / LARGE.repositories);
  const growth = large.quiet.cpuMs / worlds.at(-1).costs.sweep.quiet.cpuMs;
  return {
    title: 'Noticing what happens to issues, without webhooks (repositories × linked tasks)',
    table: [costTable(worlds), latencyTable(worlds), largeTable(large)].join('\n\n'),
    meaning:
      'Standdown asks each repository for the issues and the comments that changed; one GET per task notices no comments. ' +
      'Processor time is that of the process that asks: GitHub is another one, and what changes are titles, about which nothing is done.',
    aims: [
      {
        aim: `a quiet sweep takes ${AIM_REQUESTS} requests per repository and nothing of the quota`,
        value: `${most} requests, ${quota} of the quota`,
        met: most <= AIM_REQUESTS && quota === 0,
      },
      {
        aim: `ten times the tasks in as many repositories take at most ${AIM_GROWTH} times the processor`,
        value: `${growth.toFixed(2)} times`,
        met: growth <= AIM_GROWTH,
      },
      {
        aim: `at most ${mb(AIM_PEAK_BYTES)} with ${count(LARGE.repositories * LARGE.issuesEach)} tasks`,
        value: mb(large.peak),
        met: large.peak <= AIM_PEAK_BYTES,
      },
    ],
  };
}

function costTable(worlds) {
  const states = { quiet: 'quiet', changing: `${CHANGING * 100}% changed` };
  const rows = worlds.flatMap(({ size, costs }) =>
    Object.entries(states).flatMap(([state, words]) =>
      Object.entries(costs).map(([way, cost]) => {
        const times = cost[state].cpuMs / costs.sweep[state].cpuMs;
        return [`${nameOf(size)}, ${words}: ${WAYS[way]}`, ...cells(cost[state]), `${times.toFixed(1)} ×`];
      }),
    ),
  );
  return table([['each sweep', 'requests', 'quota', 'time', 'processor', 'Standdown = 1'], ...rows]);
}

function cells({ requests, quota, wallMs, cpuMs }) {
  return [count(requests), count(quota), ms(wallMs), ms(cpuMs)];
}

function latencyTable(worlds) {
  const rows = worlds.flatMap(({ size, latencies }) =>
    Object.entries(latencies).map(([way, values]) => [
      `${nameOf(size)}: ${WAYS[way]}`,
      ...[50, 95].map((percent) => `${(percentile(values, percent) / 1_000).toFixed(2)} s`),
    ]),
  );
  const head = `from a close to the task's end, a sweep each ${INTERVAL_SECONDS} s, or as soon as the last is over`;
  return table([[head, 'median', 'p95'], ...rows]);
}

function largeTable({ verification, quiet, peak }) {
  return table([
    [`${nameOf(LARGE)}, Standdown`, 'requests', 'quota', 'time', 'processor', 'peak memory'],
    ['a look at every issue', ...cells(verification), mb(peak)],
    ['quiet sweep', ...cells(quiet), mb(peak)],
  ]);
}
