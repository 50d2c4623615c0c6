// From a cancel to the look that sees the run gone: on this machine and by an agent, in turns, at each level of containment.
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { median, ms, percentile, table } from '../support/numbers.mjs';
import { levelsHere, withRunners } from '../support/runner-world.mjs';
import { until } from '../support/world.mjs';

const WARM_UP = 5;
const ROUNDS = 100;
/** Lets the supervisor of the run before tidy up. */
const PAUSE_MS = 20;
/** Looks are made at each hint, as the app does, and this often where none comes. */
const LOOK_MS = 10;
const GONE_SECONDS = 20;

/** Both say when they have begun, and end by themselves if everything else fails. */
const PROGRAMS = {
  'obeys TERM': { mode: 'term', signal: 'TERM', script: ': >"$1"; exec sleep 300' },
  'a tree of 5 that ignores TERM, KILL': {
    mode: 'kill',
    signal: 'KILL',
    script: `trap '' TERM; sleep 300 & setsid sleep 300 & { sleep 300 & wait; } & : >"$1"; wait`,
  },
};

export function measureCancel() {
  return withRunners(async (world) => {
    const levels = await levelsHere(world, await world.makeDataDir());
    const measured = [];
    for (const level of levels) {
      for (const [name, times] of await timesAt(world, level, levels[0])) measured.push({ level, name, times });
    }
    return report(measured);
  });
}

async function timesAt(world, level, best) {
  const local = await world.openLocal(await world.makeDataDir(), level);
  const remote = await world.openAgent({ dataDir: await world.makeDataDir(), level, best });
  try {
    await remote.control.inspect(['run_unknown']);
    const { containment, notes } = remote.control.profile;
    if (containment !== level) throw new Error(`the agent has ${containment} instead of ${level}: ${notes.join('; ')}`);
    const ways = { local: withHints(local.control), agent: withHints(remote.control) };
    const times = [];
    for (const [name, program] of Object.entries(PROGRAMS)) times.push([name, await inTurns(world, ways, program)]);
    return times;
  } finally {
    await local.close();
    await remote.close();
  }
}

/** `next` resolves at the next hint, or after that time. */
function withHints(control) {
  let wake = () => {};
  control.onHint(() => wake());
  const next = (afterMs) =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, afterMs);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  return { control, next };
}

async function inTurns(world, ways, program) {
  const times = { local: [], agent: [] };
  for (let round = -WARM_UP; round < ROUNDS; round++) {
    // Each is the first as often as the other, and both live when the first is cancelled.
    const turns = round % 2 === 0 ? ['local', 'agent'] : ['agent', 'local'];
    const runs = await Promise.all(turns.map((way) => startReady(world, ways[way].control, program)));
    for (const [i, way] of turns.entries()) {
      const taken = await cancelled(ways[way], runs[i], program);
      if (round >= 0) times[way].push(taken);
      await delay(PAUSE_MS);
    }
  }
  return times;
}

let readies = 0;
async function startReady(world, control, { script }) {
  readies += 1;
  const ready = join(world.dir, `ready-${readies}`);
  const runId = await world.start(control, ['sh', '-c', script, 'sh', ready]);
  const isReady = () =>
    stat(ready).then(
      () => true,
      () => false,
    );
  await until(`${runId} has begun`, isReady, { seconds: GONE_SECONDS, everyMs: 5 });
  return runId;
}

async function cancelled({ control, next }, runId, { mode, signal }) {
  const started = performance.now();
  const since = () => performance.now() - started;
  let news = next(LOOK_MS);
  const result = await control.cancel(runId, mode);
  if (result !== 'accepted') throw new Error(`${runId} was not cancelled: ${result}`);
  const answered = since();
  while (since() < GONE_SECONDS * 1_000) {
    const probe = (await control.inspect([runId])).get(runId);
    if (probe.state === 'exited' && probe.survivors.length === 0) {
      if (probe.signal !== signal)
        throw new Error(`${runId} ended by ${probe.signal ?? probe.exitCode}, not ${signal}`);
      return { answered, gone: since() };
    }
    await news;
    news = next(LOOK_MS);
  }
  throw new Error(`${runId} was not seen gone within ${GONE_SECONDS} s`);
}

function report(measured) {
  const rows = measured.flatMap(({ level, name, times }) => {
    const gone = (way) => times[way].map((one) => one.gone);
    const ratio = median(gone('agent')) / median(gone('local'));
    return Object.keys(times).map((way) => [
      `${level}, ${name}: ${way === 'agent' ? 'by an agent' : 'here'}`,
      ms(median(times[way].map((one) => one.answered))),
      ms(median(gone(way))),
      ms(percentile(gone(way), 99)),
      way === 'agent' ? `${ratio.toFixed(2)} ×` : '',
    ]);
  });
  return {
    title: `Cancel to seen gone (${ROUNDS} of each in turns; the agent is another process of this machine)`,
    table: table([['', 'answered, median', 'seen gone, median', 'p99', 'agent / here'], ...rows]),
    meaning:
      'Gone means that a look at the run says that it ended and nothing of it lives. Until then its supervisor notes the end, ' +
      'ends what the run left behind and waits for the disk, which is the same here and there.',
    aims: [],
  };
}
