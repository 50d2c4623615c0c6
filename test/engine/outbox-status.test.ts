/** Statuses and signs are many, and may wait: they leave room for the words about stops. */
import { expect, it } from 'vitest';
import { aTask } from '../support/builders.ts';
import { HERE, idOf, makeOutboxStage, type OutboxStage } from '../support/outbox-stage.ts';

const MINUTE = 60_000;

/** Each on an issue of its own. */
async function oweStatuses(stage: OutboxStage, count: number): Promise<readonly number[]> {
  const numbers = Array.from({ length: count }, (_, index) => index + 1);
  for (const number of numbers) {
    const task = { batchId: null, repositoryId: HERE.id, issueNumber: number, state: 'running', runNumber: 1 } as const;
    await stage.store.commit([{ write: 'task.insert', task: aTask({ id: `task_${number}`, ...task }) }]);
    const key = `status:${HERE.id}#${number}`;
    await stage.owe(key, number, { kind: 'status', id: idOf(key) });
  }
  return numbers;
}

it('a thousand statuses do not use up what the words about stops need', async () => {
  const stage = await makeOutboxStage();
  const numbers = await oweStatuses(stage, 1_000);
  const sender = stage.start();
  await stage.run(sender, 30 * MINUTE);
  expect(stage.writes).toHaveLength(240);
  const closedAt = stage.now().getTime();
  for (const number of numbers.slice(0, 200)) await stage.owe(`close:${number}`, number);
  await stage.run(sender, 4 * MINUTE);
  expect(stage.writes.filter(({ at }) => at.getTime() >= closedAt)).toHaveLength(200);
  for (const number of numbers.slice(0, 200)) {
    expect(stage.bodiesOf(number).filter((body) => body.startsWith('<!-- standdown:outcome '))).toHaveLength(1);
  }
});

it('all of them are told in the end, each once', async () => {
  const stage = await makeOutboxStage();
  const numbers = await oweStatuses(stage, 300);
  await stage.run(stage.start(), 120 * MINUTE);
  for (const number of numbers) expect(stage.bodiesOf(number)).toHaveLength(1);
});

it('what strangers say a thousand times keeps no word about a stop back', async () => {
  const stage = await makeOutboxStage();
  for (let id = 1; id <= 1_000; id += 1) await stage.owe(`reaction:${id}:confused`, 1, { kind: 'reaction' });
  const sender = stage.start();
  await stage.run(sender, 30 * MINUTE);
  expect(stage.reactions).toHaveLength(240);
  for (let number = 2; number <= 201; number += 1) await stage.owe(`close:${number}`, number);
  await stage.run(sender, 4 * MINUTE);
  expect(stage.comments.size).toBe(200);
});

it('signs are given one after the other as fast as words, while there is room', async () => {
  const stage = await makeOutboxStage();
  for (let id = 1; id <= 60; id += 1) await stage.owe(`reaction:${id}:rocket`, id, { kind: 'reaction' });
  const senders = [stage.start(), stage.start()];
  for (let round = 0; round < 140; round += 1) await stage.run(senders[round % 2]!, 500);
  expect(stage.reactions).toHaveLength(60);
});
