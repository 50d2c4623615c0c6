import { beforeEach, describe, expect, it } from 'vitest';
import type { Batch, BatchOrder } from '../../../src/core/batch.ts';
import type { HoldScope, ScopedHold } from '../../../src/core/hold.ts';
import type { Write } from '../../../src/engine/ports.ts';
import { type Current, inSeconds } from './context.ts';
import { append, insertBatch, makeBatch, putRepository, T0 } from './records.ts';

const everywhere: HoldScope = { kind: 'all' };
const makeHold = (given: Partial<ScopedHold> = {}): ScopedHold => ({
  ...{ scope: everywhere, reason: 'maintenance', actor: 'ada', at: T0 },
  ...given,
});
const putHold = (hold: ScopedHold): Write => ({ write: 'hold.put', hold });
const release = (scope: HoldScope): Write => ({ write: 'hold.delete', scope });

export function describeHolds(current: Current): void {
  describe('holds and orders', () => {
    beforeEach(async () => {
      await current().store.commit([putRepository]);
    });

    it('keeps one hold for each scope, the oldest first', async () => {
      const { store } = current();
      const newest = makeHold({ at: inSeconds(current(), 9), reason: null });
      const ofRunner = makeHold({ scope: { kind: 'runner', runner: '1001' }, at: inSeconds(current(), 5) });
      const ofRepository = makeHold({ scope: { kind: 'repository', repositoryId: '1001' }, actor: 'eve' });
      const oddlyNamed = makeHold({ scope: { kind: 'runner', runner: 'lab:3 all' }, at: inSeconds(current(), 2) });
      expect(await store.holds()).toEqual([]);
      await store.commit([newest, ofRunner, ofRepository, oddlyNamed].map(putHold));
      expect(await store.holds()).toEqual([ofRepository, oddlyNamed, ofRunner, newest]);
    });

    it('replaces a hold by the newer word on the same scope', async () => {
      const { store } = current();
      const second = makeHold({ reason: null, actor: 'eve', at: inSeconds(current(), 5) });
      await store.commit([putHold(makeHold())]);
      expect(await store.commit([putHold(second)])).toBe(true);
      expect(await store.holds()).toEqual([second]);
    });

    it('knows a scope by what it names, in whatever order that is written', async () => {
      const { store } = current();
      await store.commit([putHold(makeHold({ scope: { kind: 'runner', runner: 'lab-3' } }))]);
      expect(await store.commit([release({ runner: 'lab-3', kind: 'runner' })])).toBe(true);
      expect(await store.holds()).toEqual([]);
    });

    it('takes a hold away once', async () => {
      const { store } = current();
      const ofRunner = makeHold({ scope: { kind: 'runner', runner: 'lab-3' } });
      await store.commit([putHold(makeHold()), putHold(ofRunner)]);
      expect(await store.commit([append(), release(everywhere)])).toBe(true);
      expect(await store.commit([append(), release(everywhere)])).toBe(false);
      expect(await store.holds()).toEqual([ofRunner]);
      expect(await store.queries.events(null, 9)).toHaveLength(1);
    });

    it('neither puts nor takes away a hold when a guard of the same commit fails', async () => {
      const { store } = current();
      const ofRunner: HoldScope = { kind: 'runner', runner: 'lab-3' };
      await store.commit([putHold(makeHold())]);
      const changes = [putHold(makeHold({ scope: ofRunner })), release(everywhere)];
      expect(await store.commit([...changes, release({ kind: 'repository', repositoryId: '1001' })])).toBe(false);
      expect(await store.holds()).toEqual([makeHold()]);
    });

    it('takes the same hold from several at once', async () => {
      const { store } = current();
      const putting = Array.from({ length: 12 }, (_, i) =>
        store.commit([append(), putHold(makeHold({ actor: `user-${i}` })), append()]),
      );
      expect(await Promise.all(putting)).toEqual(putting.map(() => true));
      expect(await store.holds()).toHaveLength(1);
    });

    it('keeps the hold and the order of a batch until they are taken away', async () => {
      const { store } = current();
      const asked = { id: 'order-1', actor: 'ada', cause: 'command', at: inSeconds(current(), 5) } as const;
      const orders: readonly BatchOrder[] = [
        { ...asked, kind: 'cancel', now: true },
        { ...asked, kind: 'resume', force: false },
      ];
      const hold = { reason: 'out of "disk"', actor: 'eve', at: inSeconds(current(), 4) };
      const update = (version: number, set: Partial<Pick<Batch, 'hold' | 'order'>>): Write => ({
        write: 'batch.update',
        id: 'batch-1',
        version,
        set,
      });
      await store.commit([insertBatch({ hold, order: orders[0]! })]);
      expect(await store.batch('batch-1')).toEqual(makeBatch({ hold, order: orders[0]! }));
      expect(await store.commit([update(1, { order: orders[1]! })])).toBe(true);
      expect(await store.commit([update(1, { order: null })])).toBe(false);
      expect(await store.batch('batch-1')).toEqual(makeBatch({ hold, order: orders[1]!, version: 2 }));
      await store.commit([update(2, { hold: null, order: null })]);
      expect(await store.batch('batch-1')).toEqual(makeBatch({ version: 3 }));
      await store.commit([update(3, { hold })]);
      expect((await store.newestBatch('1001', 'nightly'))?.hold).toEqual(hold);
      expect((await store.queries.batches({ limit: 1 })).items).toEqual([makeBatch({ hold, version: 4 })]);
    });

    it('leaves its name to a batch that is only held or ordered about', async () => {
      const { store } = current();
      const hold = { reason: null, actor: 'eve', at: T0 };
      await store.commit([insertBatch()]);
      await store.commit([{ write: 'batch.update', id: 'batch-1', version: 1, set: { hold } }]);
      expect(await store.commit([insertBatch({ id: 'batch-2' })])).toBe(false);
    });
  });
}
