// How long GitHub waits for the answer: the app, which keeps the delivery on the disk first, against bare Probot, which keeps
// nothing. One after the other in turns, so that whatever else the machine does meets both.
import { setTimeout as delay } from 'node:timers/promises';
import { openFloors } from '../support/floors.mjs';
import { median, ms, percentile, table } from '../support/numbers.mjs';
import { makeAgent, post } from '../support/post.mjs';
import { addIssues, REPOSITORY, until, WEBHOOK_PATH, withWorld } from '../support/world.mjs';

const WARM_UP = 100;
const ROUNDS = 400;
/** Lets the app finish what the delivery asked for: webhooks do not come back to back. */
const PAUSE_MS = 10;
const BURST = 200;
const AT_ONCE = 8;
const AIM = 3;

export function measureWebhookAnswered() {
  return withWorld(async (world) => {
    await addIssues(world, 1, 1);
    const { headers, body } = world.github.issue(REPOSITORY, 1).close({ by: 'ann', reason: 'completed' });
    const app = await world.startApp();
    const bare = await world.startBareProbot();
    const agent = makeAgent();
    const floors = openFloors(world.dir, body);
    try {
      const to = (child) => post(agent, { url: `${child.url}${WEBHOOK_PATH}`, headers, body });
      const times = await inTurns({ app: () => to(app), bare: () => to(bare) }, floors);
      await until('the app has caught up', async () => (await app.ask('backlog')).deliveries === 0);
      const bursts = { bare: await burst(() => to(bare)), app: await burst(() => to(app)) };
      return report(times, bursts, body.length);
    } finally {
      agent.destroy();
      floors.close();
    }
  });
}

async function inTurns(post, floors) {
  const times = { app: [], bare: [], fdatasync: [], insert: [] };
  for (let round = -WARM_UP; round < ROUNDS; round++) {
    const taken = { bare: (await post.bare()).ms };
    await delay(PAUSE_MS);
    taken.app = (await post.app()).ms;
    await delay(PAUSE_MS);
    taken.fdatasync = floors.fdatasync();
    taken.insert = floors.insert();
    if (round >= 0) for (const [name, value] of Object.entries(taken)) times[name].push(value);
  }
  return times;
}

async function burst(send) {
  const times = [];
  let left = BURST;
  const sender = async () => {
    while (left-- > 0) times.push((await send()).ms);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, sender));
  return times;
}

function report(times, bursts, bytes) {
  const ratio = median(times.app) / median(times.bare);
  const row = (name, values, base) => [
    name,
    ms(percentile(values, 10)),
    ms(median(values)),
    ms(percentile(values, 99)),
    `${(median(values) / median(base)).toFixed(2)} x`,
  ];
  const rows = [
    ['', 'p10', 'median', 'p99', 'median / bare'],
    row('bare Probot, empty handler', times.bare, times.bare),
    row('Standdown on SQLite', times.app, times.bare),
    row('floor: append and fdatasync', times.fdatasync, times.bare),
    row('floor: INSERT, WAL, synchronous=FULL', times.insert, times.bare),
    row(`bare Probot, ${AT_ONCE} at once`, bursts.bare, bursts.bare),
    row(`Standdown on SQLite, ${AT_ONCE} at once`, bursts.app, bursts.bare),
  ];
  return {
    title: `Webhook answered (${ROUNDS} in turns, ${(bytes / 1e3).toFixed(0)} kB of payload, then ${BURST} in a burst)`,
    table: table(rows),
    meaning:
      'Standdown answers when the delivery is on the disk, bare Probot while it is in memory only. The floors are what the ' +
      `disk alone takes: ${ms(median(times.insert))} of the ${ms(median(times.app) - median(times.bare))} between the two.`,
    aims: [{ aim: `median at most ${AIM} x bare`, value: `${ratio.toFixed(2)} x`, met: ratio <= AIM }],
  };
}
