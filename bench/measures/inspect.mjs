// What a look at 1,000 runs costs, most of them ended: all at once, and one by one as is most easily written; here and by an agent,
// which are asked about the very same runs.
import { median, ms, table } from '../support/numbers.mjs';
import { levelsHere, withRunners } from '../support/runner-world.mjs';
import { until } from '../support/world.mjs';

const ENDED = 900;
const LIVING = 100;
const ROUNDS = { 'at once': 5, 'one by one': 1 };
/** After that the app takes an agent for silent. */
const AIM_MS = 10_000;
/** Ends by itself if everything else fails. */
const SLEEP = ['sleep', '600'];

const WAYS = {
  'at once': async (control, runIds) => ({ calls: 1, probes: await control.inspect(runIds) }),
  'one by one': async (control, runIds) => {
    const probes = new Map();
    for (const runId of runIds) probes.set(runId, (await control.inspect([runId])).get(runId));
    return { calls: runIds.length, probes };
  },
};

export function measureInspect() {
  return withRunners(async (world) => {
    const levels = await levelsHere(world, await world.makeDataDir());
    const measured = [];
    for (const level of levels) measured.push({ level, costs: await costsAt(world, level) });
    return report(measured);
  });
}

async function costsAt(world, level) {
  const dataDir = await world.makeDataDir();
  const local = await world.openLocal(dataDir, level);
  const ended = await world.startMany(local.control, ENDED, ['true']);
  const living = await world.startMany(local.control, LIVING, SLEEP);
  const runIds = [...ended, ...living];
  await until(`${ENDED} runs have ended`, async () => isAsStarted((await local.control.inspect(runIds)).values()), {
    seconds: 300,
  });
  // It takes up what lives there, as after a restart; how a run is contained stands in its own record.
  const remote = await world.openAgent({ dataDir });
  try {
    return await inTurns({ here: { control: local.control, agent: null }, 'by an agent': remote }, runIds);
  } finally {
    await remote.close();
    for (const runId of living) await local.control.cancel(runId, 'kill');
    await local.close();
  }
}

function isAsStarted(probes) {
  const states = [...probes].map(({ state }) => state);
  const count = (wanted) => states.filter((state) => state === wanted).length;
  return count('exited') === ENDED && count('running') === LIVING;
}

async function inTurns(places, runIds) {
  const costs = new Map();
  for (let round = 0; round < Math.max(...Object.values(ROUNDS)); round++) {
    for (const [way, look] of Object.entries(WAYS)) {
      if (round >= ROUNDS[way]) continue;
      for (const [place, { control, agent }] of Object.entries(places)) {
        const key = `${place}, ${way}`;
        costs.set(key, [...(costs.get(key) ?? []), await costOf(agent, () => look(control, runIds))]);
      }
    }
  }
  return new Map([...costs].map(([key, rounds]) => [key, mediansOf(rounds)]));
}

/** `agent` null: there is none. */
async function costOf(agent, look) {
  const before = (await agent?.ask('spent')) ?? { requests: 0, cpuMs: 0 };
  const cpu = process.cpuUsage();
  const started = performance.now();
  const { calls, probes } = await look();
  const wallMs = performance.now() - started;
  const { user, system } = process.cpuUsage(cpu);
  const after = (await agent?.ask('spent')) ?? before;
  if (!isAsStarted(probes.values())) throw new Error('a look did not see the runs as they are');
  const of = { requests: after.requests - before.requests, agentCpuMs: after.cpuMs - before.cpuMs };
  return { calls, wallMs, cpuMs: (user + system) / 1_000, ...of };
}

/** Of each cost by itself. */
function mediansOf(rounds) {
  return Object.fromEntries(Object.keys(rounds[0]).map((key) => [key, median(rounds.map((cost) => cost[key]))]));
}

const count = (value) => value.toLocaleString('en');
const total = ({ cpuMs, agentCpuMs }) => cpuMs + agentCpuMs;

function report(measured) {
  const rows = measured.flatMap(({ level, costs }) =>
    [...costs].map(([key, cost]) => {
      const [place] = key.split(', ');
      const base = costs.get(`${place}, at once`);
      const times = (value) => (cost === base ? '' : `${value.toFixed(1)} ×`);
      const { calls, requests, wallMs, cpuMs, agentCpuMs } = cost;
      const numbers = [count(calls), count(requests), ms(wallMs), ms(cpuMs), ms(agentCpuMs)];
      return [`${level}, ${key}`, ...numbers, times(wallMs / base.wallMs), times(total(cost) / total(base))];
    }),
  );
  const asked = measured.map(({ costs }) => costs.get('by an agent, at once'));
  const requests = Math.max(...asked.map((cost) => cost.requests));
  const slowest = Math.max(...asked.map(({ wallMs }) => wallMs));
  return {
    title: `A look at ${count(ENDED + LIVING)} runs, ${LIVING} of them alive`,
    table: table([['', 'calls', 'requests', 'time', 'app', 'agent', 'time / at once', 'processor'], ...rows]),
    meaning:
      'Requests are counted as they reach the agent. App and agent: processor time of their processes; the last column is that of ' +
      'both against at once. Where runs are only looked for (scan), each is looked for among all processes of the machine.',
    aims: [
      { aim: 'one request for all runs of an agent', value: count(requests), met: requests === 1 },
      { aim: `answered within ${AIM_MS / 1_000} s`, value: ms(slowest), met: slowest < AIM_MS },
    ],
  };
}
