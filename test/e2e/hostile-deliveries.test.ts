/** Signed deliveries that say what GitHub never says: each is kept or refused, none stops anything, none is in another's way. */
import { createHmac, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { taskOf, untilTask } from '../support/world.ts';
import { pidsOf, untilAlive } from './programs.ts';
import {
  type ClockedWorld,
  closeWorld,
  type Hands,
  makeClockedWorld,
  newIssue,
  startTask,
  sweepNow,
  untilSettled,
} from './support.ts';

let world: ClockedWorld;

beforeAll(async () => {
  world = await makeClockedWorld();
  await world.start();
});

afterAll(() => closeWorld(world));

async function post(body: string): Promise<number> {
  const signature = createHmac('sha256', world.github.webhookSecret).update(body).digest('hex');
  const headers = {
    'content-type': 'application/json',
    'x-github-event': 'issues',
    'x-github-delivery': randomUUID(),
    'x-hub-signature-256': `sha256=${signature}`,
  };
  const response = await fetch(`${world.app().url}/api/github/webhooks`, { method: 'POST', headers, body });
  await response.text();
  return response.status;
}

interface Payload {
  action: string;
  issue: Record<string, unknown>;
  repository: Record<string, unknown>;
  [key: string]: unknown;
}

/** As of a close that never was: on GitHub the issue stays open. */
function closeOf(issue: Hands): Payload {
  world.github.webhooks.lose(2);
  const { payload } = issue.close({ by: 'ann' });
  const closed = JSON.parse(JSON.stringify(payload)) as Payload;
  world.clock.forward();
  issue.reopen({ by: 'ann' });
  return closed;
}

const inAnHour = () => new Date(world.clock.now().getTime() + 3_600_000).toISOString().replace(/\.\d+/, '');

const LIES: Record<string, (close: Payload) => Payload | string> = {
  'comes from the future': (close) => ({ ...close, issue: { ...close.issue, updated_at: inAnHour() } }),
  'has a year of six digits': (close) => ({
    ...close,
    issue: { ...close.issue, updated_at: '+275760-09-13T00:00:00Z' },
  }),
  'gives its number as text': (close) => ({ ...close, issue: { ...close.issue, number: String(close.issue.number) } }),
  'is about another repository': (close) => ({ ...close, repository: { ...close.repository, id: 999_999 } }),
  'is about another issue of that number': (close) => ({
    ...close,
    issue: { ...close.issue, node_id: 'I_another', updated_at: inAnHour() },
  }),
  'has no time of the close': (close) => ({ ...close, issue: { ...close.issue, closed_at: null } }),
  'has no sender': (close) => ({ ...close, sender: null }),
  'is of another installation': (close) => ({ ...close, installation: { id: -1 } }),
  'wants to be a prototype': (close) =>
    JSON.stringify(close).replace('{', '{"__proto__":{"state":"closed","polluted":1},"constructor":{"prototype":{}},'),
  'nests deeply': (close) =>
    JSON.stringify(close).replace('{', `{"deep":${'['.repeat(100_000)}${']'.repeat(100_000)},`),
  'is large': (close) => JSON.stringify({ ...close, filler: 'x'.repeat(20 * 1024 * 1024) }),
};

describe('a signed close of an open issue', () => {
  it.each(Object.entries(LIES))('that %s stops nothing, and the real one after it stops', async (name, lie) => {
    const issue = newIssue(world);
    const { batch, word } = await startTask(world, issue);
    const close = closeOf(issue);
    // What it says is older than what is known by now, where its lie doesn't change that.
    await sweepNow(world);
    const lied = lie(close);
    expect(await post(typeof lied === 'string' ? lied : JSON.stringify(lied)), name).toBeLessThan(500);
    await untilSettled(world);
    await untilAlive(word);
    expect((await taskOf(world, batch, 'train')).state).toBe('running');
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    issue.close({ by: 'ann' });
    await untilTask(world, batch, 'train', { state: 'done', cause: 'issue_completed' });
    expect(pidsOf(word)).toEqual([]);
    await untilSettled(world);
  });
});

it('a close with text that no database keeps stops what it is about, and lets the next one through', async () => {
  const [first, second] = [newIssue(world), newIssue(world)];
  const tasks = [await startTask(world, first), await startTask(world, second)] as const;
  world.github.webhooks.lose(1);
  const { payload } = first.close({ by: 'ann' });
  const close = JSON.parse(JSON.stringify(payload)) as Payload;
  const texts = { title: 'nul \0 and half \ud800', state_reason: 'because' };
  expect(await post(JSON.stringify({ ...close, issue: { ...close.issue, ...texts } }))).toBe(202);
  second.close({ by: 'ann' });
  for (const { batch } of tasks) await untilTask(world, batch, 'train', { state: 'done' });
  for (const { word } of tasks) expect(pidsOf(word)).toEqual([]);
});
