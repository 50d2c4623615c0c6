/** How fast GitHub is written to, over restarts and by several apps. */
import { expect, it } from 'vitest';
import {
  ELSEWHERE,
  HERE,
  makeOutboxStage,
  type OutboxStage,
  refusal,
  type SeenWrite,
} from '../support/outbox-stage.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

async function oweMany(stage: OutboxStage, count: number, repositoryId = HERE.id): Promise<void> {
  for (let number = 1; number <= count; number += 1) {
    await stage.owe(`close:${repositoryId}-${number}`, number, { repositoryId });
  }
}

const timesOf = (writes: readonly SeenWrite[], installation = HERE.installationId) =>
  writes.filter((write) => write.installation === installation).map((write) => write.at.getTime());

/** The most writes in any window of that length. */
function densest(times: readonly number[], windowMs: number): number {
  const counts = times.map((start) => times.filter((time) => time >= start && time < start + windowMs).length);
  return Math.max(0, ...counts);
}

function gaps(times: readonly number[]): number[] {
  return times.slice(1).map((time, index) => time - times[index]!);
}

function expectPaced(times: readonly number[]): void {
  expect(densest(times, MINUTE)).toBeLessThanOrEqual(75);
  expect(densest(times, HOUR)).toBeLessThanOrEqual(480);
  expect(Math.min(...gaps(times))).toBeGreaterThanOrEqual(1_000);
}

it('a thousand comments go out once each, below GitHub’s limits, as fast as those allow', async () => {
  const stage = await makeOutboxStage();
  await oweMany(stage, 1_000);
  await stage.run(stage.start(), 3 * HOUR);
  const times = timesOf(stage.writes);
  expectPaced(times);
  expect(times).toHaveLength(1_000);
  expect(new Set([...stage.comments.values()].map(({ number }) => number)).size).toBe(1_000);
  // 480 in the first hour and in the second, the rest right after it.
  expect(times.at(-1)! - times[0]!).toBeLessThan(2 * HOUR + 2 * MINUTE);
});

it('the limits are kept over restarts', async () => {
  const stage = await makeOutboxStage();
  await oweMany(stage, 300);
  for (let starts = 0; starts < 60; starts += 1) await stage.run(stage.start(), 7_300);
  await stage.run(stage.start(), HOUR);
  const times = timesOf(stage.writes);
  expect(times).toHaveLength(300);
  expectPaced(times);
});

it('two senders on one store keep the limits together, and send nothing twice', async () => {
  const stage = await makeOutboxStage();
  await oweMany(stage, 200);
  const senders = [stage.start(), stage.start()];
  for (let round = 0; round < 2_000; round += 1) await stage.run(senders[round % 2]!, 150);
  const times = timesOf(stage.writes);
  expect(times).toHaveLength(200);
  expectPaced(times);
});

it('each installation has limits of its own', async () => {
  const stage = await makeOutboxStage();
  await oweMany(stage, 40);
  await oweMany(stage, 40, ELSEWHERE.id);
  await stage.run(stage.start(), MINUTE);
  for (const { installationId } of [HERE, ELSEWHERE]) {
    const times = timesOf(stage.writes, installationId);
    expect(times).toHaveLength(40);
    expect(times.at(-1)! - times[0]!).toBeLessThan(MINUTE);
  }
});

it('a retry-after holds the installation that it was told to, over a restart, and no other one', async () => {
  const stage = await makeOutboxStage();
  await oweMany(stage, 5);
  await oweMany(stage, 5, ELSEWHERE.id);
  stage.faults.push({ call: 'createComment', error: refusal('throttled', 403, 120), when: 'before' });
  const started = stage.now().getTime();
  await stage.run(stage.start(), 20_000);
  const throttled = stage.writes[0]!.installation;
  const other = throttled === HERE.installationId ? ELSEWHERE.installationId : HERE.installationId;
  expect(timesOf(stage.writes, throttled)).toEqual([started]);
  expect(timesOf(stage.writes, other)).toHaveLength(5);
  await stage.run(stage.start(), MINUTE);
  expect(timesOf(stage.writes, throttled)).toHaveLength(1);
  await stage.run(stage.start(), 2 * MINUTE);
  const [, second] = timesOf(stage.writes, throttled);
  expect(second).toBeGreaterThanOrEqual(started + 120_000);
  expect(stage.comments.size).toBe(10);
});

it('what GitHub refuses counts as written, and so does a write whose answer never came', async () => {
  const stage = await makeOutboxStage();
  await oweMany(stage, 200);
  for (let count = 0; count < 50; count += 1) {
    const when = count % 2 === 0 ? 'before' : 'after';
    stage.faults.push({ call: 'createComment', error: refusal('retryable', 502), when });
  }
  await stage.run(stage.start(), HOUR);
  expectPaced(timesOf(stage.writes));
  expect(stage.comments.size).toBe(200);
});

it('edits and reactions count as much as comments', async () => {
  const stage = await makeOutboxStage();
  for (let id = 1; id <= 60; id += 1) await stage.owe(`reaction:${id}:rocket`, id, { kind: 'reaction' });
  await oweMany(stage, 60);
  await stage.run(stage.start(), 10 * MINUTE);
  expect(timesOf(stage.writes)).toHaveLength(120);
  expectPaced(timesOf(stage.writes));
  expect(stage.reactions).toHaveLength(60);
});

it('a clock that is set back does not stop the writes for as long as it was set back', async () => {
  const stage = await makeOutboxStage();
  await oweMany(stage, 20);
  const sender = stage.start();
  await stage.run(sender, 5_000);
  stage.advance(-HOUR);
  const sent = stage.writes.length;
  await oweMany(stage, 25);
  await stage.run(sender, MINUTE);
  expect(stage.writes.length).toBeGreaterThan(sent);
});
