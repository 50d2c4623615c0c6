import { describe, expect, test } from 'vitest';
import { makeRecency } from '../../../src/demo/github/state/recency.ts';
import { makeRandom } from '../../support/random.ts';
import { ask, makeStarter, takeInstallationToken } from './support.ts';

const start = makeStarter();
const ISSUES = '/repos/acme/widgets/issues';

describe('what changed since a time', () => {
  test.each([1, 2, 3, 4, 5])('is what a look at everything would find, also while the clock jumps (%i)', (seed) => {
    const random = makeRandom(seed);
    const recency = makeRecency<{ id: number; updatedAt: number }>();
    const items = Array.from({ length: 20 }, (_, id) => ({ id, updatedAt: random(50) }));
    const there = new Set(items);
    for (const item of items) recency.touch(item);
    for (let step = 0; step < 500; step += 1) {
      const item = items[random(items.length)]!;
      if (random(50) === 0) {
        there.delete(item);
        recency.drop(item);
      } else if (there.has(item)) {
        item.updatedAt = random(20) === 0 ? random(step + 50) : step;
        recency.touch(item);
      }
      const earliest = random(step + 50);
      const expected = [...there].filter(({ updatedAt }) => updatedAt >= earliest).map(({ id }) => id);
      const found = recency.since(earliest);
      expect(found.map(({ id }) => id).sort()).toEqual(expected.sort());
      expect(found.map(({ updatedAt }) => updatedAt)).toEqual(
        found.map(({ updatedAt }) => updatedAt).sort((a, b) => a - b),
      );
    }
  });

  test('is found without a look at what did not', () => {
    let looks = 0;
    const recency = makeRecency<{ updatedAt: number }>();
    for (let at = 0; at < 100_000; at += 1) recency.touch({ updatedAt: at });
    const late = {
      get updatedAt() {
        looks += 1;
        return 200_000;
      },
    };
    recency.touch(late);
    looks = 0;
    expect(recency.since(150_000)).toEqual([late]);
    expect(looks).toBeLessThan(5);
  });
});

test('many issues are added at once, and nobody is told', async () => {
  const github = await start({ webhookUrl: 'http://127.0.0.1:9/' });
  const one = github.addIssue('acme/widgets');
  await github.webhooks.settled();
  expect(github.addIssues('acme/widgets', 250, { by: 'bea', title: 'Sweep', body: 'the floor' })).toBe(one.number + 1);
  expect(github.addIssue('acme/widgets').number).toBe(252);
  expect(github.deliveries()).toHaveLength(2);
  const token = await takeInstallationToken(github);
  const reply = await ask(github, `GET ${ISSUES}?sort=created&direction=asc&per_page=100&page=3`, { token });
  expect(reply.list).toHaveLength(52);
  expect(reply.list[50]).toMatchObject({ number: 251, title: 'Sweep', body: 'the floor', user: { login: 'bea' } });
});

test('a listing of what changed lately shows each once, where it changed last', async () => {
  let now = Date.parse('2026-11-29T12:00:00Z');
  const github = await start({ now: () => new Date(now) });
  github.addIssues('acme/widgets', 1_000);
  const token = await takeInstallationToken(github);
  const since = new Date(now + 1_000).toISOString();
  for (const number of [7, 3, 7, 500]) {
    now += 1_000;
    github.issue('acme/widgets', number).edit({ by: 'ann', title: `at ${now}` });
  }
  const query = `state=all&sort=updated&direction=asc&per_page=100&since=${since}`;
  const reply = await ask(github, `GET ${ISSUES}?${query}`, { token });
  expect(reply.list.map(({ number }) => number)).toEqual([3, 7, 500]);
  github.issue('acme/widgets', 7).delete({ by: 'ann' });
  const after = await ask(github, `GET ${ISSUES}?${query}`, { token });
  expect(after.list.map(({ number }) => number)).toEqual([3, 500]);
});
