import { beforeEach, describe, expect, it } from 'vitest';
import type { AttendedRun } from '../../../src/core/attended.ts';
import type { Write } from '../../../src/engine/ports.ts';
import { type Current, inSeconds } from './context.ts';
import { append, insertRun, insertTask, putRepository, T0 } from './records.ts';

function makeAttended(given: Partial<AttendedRun> = {}): AttendedRun {
  return {
    runId: 'run-1',
    session: 'session-1',
    attendant: { host: 'lab "3"', boot: 'b00t', pidNamespace: '4026531836', pid: 4711, start: '98765432109876543' },
    ...{ isVisible: true, claimedAt: T0, heardAt: T0, phase: 'begun', order: null, sent: null, end: null },
    ...given,
  };
}

const insert = (given: Partial<AttendedRun> = {}): Write => ({
  write: 'attended.insert',
  attended: makeAttended(given),
});

const update = (
  set: Extract<Write, { write: 'attended.update' }>['set'],
  { runId, session }: Pick<AttendedRun, 'runId' | 'session'> = makeAttended(),
): Write => ({ write: 'attended.update', runId, session, set });

export function describeAttended(current: Current): void {
  describe('attended runs', () => {
    beforeEach(async () => {
      await current().store.commit([
        putRepository,
        insertTask({ id: 'task-1' }),
        insertRun({ id: 'run-1', taskId: 'task-1' }),
        insertRun({ id: 'run-2', taskId: 'task-1', number: 2 }),
      ]);
    });

    it('keeps who attends a run, what they were ordered and how it ended', async () => {
      const { store } = current();
      expect(await store.attendedRuns(['run-1'])).toEqual([]);
      expect(await store.attendedRunOf('session-1')).toBeNull();
      expect(await store.commit([append(), insert()])).toBe(true);
      expect(await store.attendedRuns(['run-2', 'run-1', 'no-run'])).toEqual([makeAttended()]);
      const heardAt = inSeconds(current(), 20);
      await store.commit([update({ heardAt })]);
      await store.commit([update({ order: 'term' })]);
      const end = { exitCode: null, signal: 'KILL', at: inSeconds(current(), 30), survivors: [12, 13], killed: true };
      expect(await store.attendedRunOf('session-1')).toEqual(makeAttended({ heardAt, order: 'term' }));
      await store.commit([update({ sent: 'kill' })]);
      await store.commit([update({ end })]);
      expect(await store.attendedRunOf('session-1')).toEqual(
        makeAttended({ heardAt, order: 'term', sent: 'kill', end }),
      );
    });

    it('gives a run to one session, and a session one run', async () => {
      const { store } = current();
      const claims = Array.from({ length: 8 }, (_, n) => store.commit([append(), insert({ session: `s-${n}` })]));
      expect((await Promise.all(claims)).filter(Boolean)).toHaveLength(1);
      const [{ session = '' } = {}] = await store.attendedRuns(['run-1']);
      expect(await store.commit([append(), insert({ runId: 'run-2', session })])).toBe(false);
      expect(await store.commit([insert({ runId: 'run-2', session: 'another' })])).toBe(true);
      expect(await store.attendedRunIds()).toEqual(['run-1', 'run-2']);
      expect(await store.queries.events(null, 99)).toHaveLength(1);
    });

    it("takes nothing from another session, and nothing after the session's end", async () => {
      const { store } = current();
      const end = { exitCode: 3, signal: null, at: T0, survivors: [], killed: null };
      await store.commit([insert()]);
      expect(await store.commit([update({ heardAt: T0 }, { runId: 'run-1', session: 'another' })])).toBe(false);
      expect(await store.commit([update({ heardAt: T0 }, { runId: 'run-2', session: 'session-1' })])).toBe(false);
      const ends = Array.from({ length: 8 }, () => store.commit([append(), update({ end })]));
      expect((await Promise.all(ends)).filter(Boolean)).toHaveLength(1);
      expect(await store.commit([append(), update({ order: 'kill' })])).toBe(false);
      expect(await store.attendedRunOf('session-1')).toEqual(makeAttended({ end }));
    });

    it('takes back a claim or lets it begin, never both', async () => {
      const { store } = current();
      await store.commit([insert({ phase: 'claimed' })]);
      const void_ = { ...update({ phase: 'voided' }), from: ['claimed'] } as Write;
      const begin = { ...update({ phase: 'begun' }), from: ['claimed', 'begun'] } as Write;
      const taken = await Promise.all([void_, begin, void_, begin].map((one) => store.commit([append(), one])));
      const phase = (await store.attendedRunOf('session-1'))?.phase;
      expect(taken).toEqual(phase === 'begun' ? [false, true, false, true] : [true, false, false, false]);
      expect(await store.commit([append(), void_])).toBe(false);
    });

    it('forgets one once', async () => {
      const { store } = current();
      await store.commit([insert()]);
      expect(await store.commit([{ write: 'attended.delete', runId: 'run-1' }])).toBe(true);
      expect(await store.commit([append(), { write: 'attended.delete', runId: 'run-1' }])).toBe(false);
      expect(await store.attendedRunIds()).toEqual([]);
    });
  });
}
