// What the app keeps in memory: with few and with many live runs known, and after many closes of issues that have tasks.
import { setTimeout as delay } from 'node:timers/promises';
import { mb, table } from '../support/numbers.mjs';
import { makeAgent, post } from '../support/post.mjs';
import { settled } from '../support/settled.mjs';
import { addIssues, REPOSITORY, submitBatch, until, WEBHOOK_PATH, withWorld } from '../support/world.mjs';

const FEW = 10;
const MANY = 1_000;
const CLOSES = 2_000;
const AT_ONCE = 4;
/** On a slow machine fewer runs and closes are made than wanted; the table says how many. */
const START_SECONDS = 120;
const CLOSE_SECONDS = 90;
const AIM_BYTES = 250e6;
const AIM_DIFFERENCE = 20e6;

/** Ends by itself if everything else fails. */
const SLEEP = () => ['sleep', '300'];

export function measureMemory() {
  return withWorld(async (world) => {
    await addIssues(world, 1, CLOSES);
    let app = await world.startApp();
    const restart = async () => {
      await app.close();
      app = await world.startApp();
      return settled(app);
    };
    const submit = (name, from, to, maxParallel) => submitBatch(app, name, { from, to, maxParallel, run: SLEEP });

    await submit('few', 1, FEW, FEW);
    await untilLive(app, FEW);
    const few = await restart();
    await submit('many', FEW + 1, MANY, MANY);
    const live = await untilLive(app, MANY);
    const grown = await settled(app);
    const many = await restart();
    // These wait their turn: a close ends them before they began.
    await submit('waiting', MANY + 1, CLOSES, 1);
    const closes = await closeAll(world, app);
    return report({ few, grown, many, live, closes });
  });
}

/** Returns how many were alive when the time was over. */
async function untilLive(app, wanted) {
  const deadline = performance.now() + START_SECONDS * 1_000;
  for (;;) {
    const live = await app.ask('live');
    if (live >= wanted || performance.now() > deadline) return live;
    await delay(500);
  }
}

/** Those that wait first: the end of a run would let them begin. */
async function closeAll(world, app) {
  const agent = makeAgent();
  const started = performance.now();
  const elapsed = () => (performance.now() - started) / 1_000;
  let next = CLOSES;
  const closer = async () => {
    while (next > 0 && elapsed() < CLOSE_SECONDS) {
      const { headers, body } = world.github.issue(REPOSITORY, next--).close({ by: 'ann', reason: 'completed' });
      await post(agent, { url: `${app.url}${WEBHOOK_PATH}`, headers, body });
    }
  };
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, closer));
  } finally {
    agent.destroy();
  }
  const hasCaughtUp = async () => (await app.ask('backlog')).deliveries === 0;
  // Closes are taken in faster than they are worked off.
  await until('what was closed is known', hasCaughtUp, { seconds: 300, everyMs: 500 });
  return { count: CLOSES - next, seconds: elapsed(), memory: await settled(app) };
}

function report({ few, grown, many, live, closes }) {
  const difference = many.rss - few.rss;
  const count = (value) => value.toLocaleString('en');
  return {
    title: `Resident memory of the app (${count(live)} live runs, ${count(closes.count)} closes)`,
    table: table([
      ['', 'rss', 'heap used'],
      [`${FEW} live runs, after a restart`, mb(few.rss), mb(few.heapUsed)],
      [`${count(live)} live runs, after a restart`, mb(many.rss), mb(many.heapUsed)],
      [`${count(live)} live runs, after starting them`, mb(grown.rss), mb(grown.heapUsed)],
      [
        `after ${count(closes.count)} closes (in ${closes.seconds.toFixed(0)} s)`,
        mb(closes.memory.rss),
        mb(closes.memory.heapUsed),
      ],
    ]),
    meaning:
      'State is in the database. After a restart both sides have the same short history, so their difference is what ' +
      'knowing the runs costs; the other rows also hold what V8 had no reason to collect.',
    aims: [
      {
        aim: `below ${mb(AIM_BYTES)} after the closes`,
        value: mb(closes.memory.rss),
        met: closes.memory.rss < AIM_BYTES,
      },
      {
        aim: `at most ${mb(AIM_DIFFERENCE)} between ${FEW} and ${count(live)} live runs`,
        value: mb(difference),
        met: difference <= AIM_DIFFERENCE,
      },
    ],
  };
}
