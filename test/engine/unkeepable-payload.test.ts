/** PostgreSQL keeps no NUL character in a text; a payload may hold one. */
import { expect, it } from 'vitest';
import { DEFAULT_POLICY } from '../../src/core/policy.ts';
import type { Deps } from '../../src/engine/deps.ts';
import type { Write } from '../../src/engine/ports.ts';
import { processDeliveries } from '../../src/engine/process-deliveries.ts';
import { makeMemoryStore } from '../../src/store/memory/index.ts';
import { anIssue, at } from '../support/builders.ts';
import { silentLog } from '../support/databases.ts';

it('a payload that can not be kept only says where to look, and lets those behind it through', async () => {
  const known = [1, 2].map((number) => anIssue({ number, nodeId: `I_${number}`, updatedAt: at(0) }));
  const store = makeMemoryStore({ now: () => at(20), onEnqueued: () => {} });
  const repository = { id: '1', fullName: 'acme/widgets', installationId: 1 };
  await store.commit([{ write: 'repository.put', repository }]);
  await store.commit(known.map((issue) => ({ write: 'issue.insert', issue }) as const));
  const keepsNoNul = (writes: readonly Write[]) => {
    if (writes.some((write) => 'set' in write && 'title' in write.set && write.set.title?.includes('\0'))) {
      throw new Error('invalid byte sequence for encoding "UTF8": 0x00');
    }
    return store.commit(writes);
  };
  const deps: Deps = {
    store: { ...store, commit: keepsNoNul },
    runners: { get: () => null, names: () => [], allows: () => true },
    github: { clockOffsetMs: () => 0 } as NonNullable<Deps['github']>,
    interpret: (_, payload) => {
      const { number, title } = payload as { number: number; title: string };
      const { repositoryId, ...issue } = anIssue({ number, title, nodeId: `I_${number}`, updatedAt: at(15) });
      const ref = { repositoryId, number };
      return {
        kind: 'issue',
        action: 'closed',
        ref,
        repository,
        issue: { ...issue, state: 'closed', closedAt: at(15) },
      };
    },
    policyOf: async () => DEFAULT_POLICY,
    trustedApps: () => [],
    limits: { maxRunning: 1, maxRunningPerRepository: 1 },
    clock: () => at(20),
    newId: (prefix) => prefix,
    log: silentLog,
  };
  for (const [number, title] of ['nul \0', 'fine'].entries()) {
    const payload = JSON.stringify({ number: number + 1, title });
    await store.inbox.insert({ id: `d${number}`, event: 'issues', payload, receivedAt: at(16) });
  }
  expect(await processDeliveries(deps)).toBe(2);
  expect(await store.inbox.pending(10)).toEqual([]);
  expect(await store.issue({ repositoryId: '1', number: 1 })).toMatchObject({ state: 'open', readDue: true });
  expect(await store.issue({ repositoryId: '1', number: 2 })).toMatchObject({ state: 'closed', title: 'fine' });
});
