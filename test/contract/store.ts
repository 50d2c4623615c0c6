/** What every store must do, whatever database it is on. */
import { afterEach, beforeEach, describe } from 'vitest';
import type { TestStore, TestStoreOptions } from '../support/databases.ts';
import { describeAttended } from './store/attended.ts';
import { describeBlockers } from './store/blockers.ts';
import { describeComments } from './store/comments.ts';
import { describeCommit } from './store/commit.ts';
import type { StoreTest } from './store/context.ts';
import { describeHolds } from './store/holds.ts';
import { describeInbox } from './store/inbox.ts';
import { describeIsolation } from './store/isolation.ts';
import { describeOutbox } from './store/outbox.ts';
import { describeOutboxMerge } from './store/outbox-merge.ts';
import { describeOutboxOrder } from './store/outbox-order.ts';
import { describePace } from './store/pace.ts';
import { describeQueries } from './store/queries.ts';
import { describeReads } from './store/reads.ts';
import { T0 } from './store/records.ts';
import { describeRepositoryState } from './store/repository-state.ts';
import { describeRetention } from './store/retention.ts';
import { describeTracked } from './store/tracked.ts';
import { describeUpkeep } from './store/upkeep.ts';
import { describeWorkQueue } from './store/work-queue.ts';

/** `open` gives a store on an empty database for each test. */
export function describeStore(name: string, open: (options: TestStoreOptions) => Promise<TestStore>): void {
  describe(`store on ${name}`, () => {
    let opened: TestStore;
    let test: StoreTest;

    beforeEach(async () => {
      let time = T0.getTime();
      let wakeUps = 0;
      const now = () => new Date(time);
      const onEnqueued = () => {
        wakeUps += 1;
      };
      opened = await open({ now, onEnqueued });
      const advance = (ms: number) => {
        time += ms;
        return now();
      };
      test = { store: opened.store, now, advance, wakeUps: () => wakeUps };
    });
    afterEach(() => opened.close());

    const current = () => test;
    describeInbox(current);
    describeCommit(current);
    describeIsolation(current);
    describeWorkQueue(current);
    describeOutbox(current);
    describeOutboxOrder(current);
    describeOutboxMerge(current);
    describePace(current);
    describeReads(current);
    describeBlockers(current);
    describeHolds(current);
    describeAttended(current);
    describeComments(current);
    describeQueries(current);
    describeRepositoryState(current);
    describeTracked(current);
    describeUpkeep(current);
    describeRetention(current);
  });
}
