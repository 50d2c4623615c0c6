/** An App that was installed anew has another installation: what is owed and read from then on needs it. */
import { expect, it } from 'vitest';
import { DEFAULT_POLICY } from '../../src/core/policy.ts';
import type { Deps } from '../../src/engine/deps.ts';
import { processDeliveries } from '../../src/engine/process-deliveries.ts';
import { makeMemoryStore } from '../../src/store/memory/index.ts';
import { anIssue, at } from '../support/builders.ts';
import { silentLog } from '../support/databases.ts';

it('is taken from the newest delivery, and not from one that is older than what is known', async () => {
  const store = makeMemoryStore({ now: () => at(20), onEnqueued: () => {} });
  await store.commit([{ write: 'repository.put', repository: { id: '1', fullName: 'acme/old', installationId: 1 } }]);
  await store.commit([{ write: 'issue.insert', issue: anIssue({ updatedAt: at(10) }) }]);
  const deps: Deps = {
    store,
    runners: { get: () => null, names: () => [], allows: () => true },
    github: { clockOffsetMs: () => 0 } as NonNullable<Deps['github']>,
    interpret: (_, payload) => {
      const { seconds, installationId, name } = payload as { seconds: number; installationId: number; name: string };
      const { repositoryId, ...issue } = anIssue({ updatedAt: at(seconds) });
      const repository = { id: repositoryId, fullName: name, installationId };
      return { kind: 'issue', action: 'labeled', ref: { repositoryId, number: issue.number }, repository, issue };
    },
    policyOf: async () => DEFAULT_POLICY,
    trustedApps: () => [],
    limits: { maxRunning: 1, maxRunningPerRepository: 1 },
    clock: () => at(20),
    newId: (prefix) => prefix,
    log: silentLog,
  };
  const deliver = async (id: string, told: { seconds: number; installationId: number; name: string }) => {
    await store.inbox.insert({ id, event: 'issues', payload: JSON.stringify(told), receivedAt: at(16) });
    await processDeliveries(deps);
    return store.repository('1');
  };
  const moved = { fullName: 'acme/new', installationId: 2 };
  expect(await deliver('d1', { seconds: 15, installationId: 2, name: 'acme/new' })).toMatchObject(moved);
  expect(await deliver('d2', { seconds: 5, installationId: 1, name: 'acme/old' })).toMatchObject(moved);
});
