import { describe, expect, it } from 'vitest';
import type { WritePace } from '../../../src/core/pace.ts';
import type { Current } from './context.ts';

const SCOPE = 'installation:77';

/** The store may go by a clock of its own, so the times here are far enough apart for any. */
const pace = (given: Partial<WritePace> = {}): WritePace => ({ gapMs: 0, perMinute: 99, perHour: 999, ...given });

export function describePace(current: Current): void {
  const admit = (scope: string, given: Partial<WritePace>) => current().store.outbox.admit(scope, pace(given));
  const msUntil = (time: Date) => time.getTime() - current().now().getTime();

  describe('the pace of writes', () => {
    it('leaves a gap after each', async () => {
      const first = await admit(SCOPE, { gapMs: 50_000 });
      expect(first.admitted).toBe(true);
      expect(msUntil(first.freeAt)).toBeGreaterThan(40_000);
      const second = await admit(SCOPE, { gapMs: 50_000 });
      expect(second.admitted).toBe(false);
      expect(msUntil(second.freeAt)).toBeGreaterThan(30_000);
      expect(msUntil(second.freeAt)).toBeLessThanOrEqual(50_000);
      expect(await admit(SCOPE, {})).toMatchObject({ admitted: true });
    });

    it('admits no more in a minute, nor in an hour, than it says', async () => {
      for (const _ of [1, 2, 3]) expect(await admit(SCOPE, { perMinute: 3 })).toMatchObject({ admitted: true });
      const inMinute = await admit(SCOPE, { perMinute: 3 });
      expect(inMinute.admitted).toBe(false);
      expect(msUntil(inMinute.freeAt)).toBeGreaterThan(30_000);
      expect(msUntil(inMinute.freeAt)).toBeLessThanOrEqual(60_000);
      const inHour = await admit(SCOPE, { perHour: 3 });
      expect(inHour.admitted).toBe(false);
      expect(msUntil(inHour.freeAt)).toBeGreaterThan(3_500_000);
      expect(msUntil(inHour.freeAt)).toBeLessThanOrEqual(3_600_000);
    });

    it('counts what was refused for nothing', async () => {
      for (const _ of [1, 2, 3]) await admit(SCOPE, { perMinute: 1 });
      expect(await admit(SCOPE, { perMinute: 2 })).toMatchObject({ admitted: true });
    });

    it('is each installation’s own', async () => {
      await admit(SCOPE, { gapMs: 50_000 });
      expect(await admit('installation:7', { gapMs: 50_000 })).toMatchObject({ admitted: true });
      expect(await admit('token', { gapMs: 50_000 })).toMatchObject({ admitted: true });
    });

    it('admits one of several who ask at once', async () => {
      const asked = await Promise.all(Array.from({ length: 12 }, () => admit(SCOPE, { gapMs: 50_000 })));
      expect(asked.filter(({ admitted }) => admitted)).toHaveLength(1);
    });

    it('admits none while the installation is paused, for the longest time that was asked for', async () => {
      const { outbox } = current().store;
      await outbox.pause(SCOPE, 90_000);
      await outbox.pause(SCOPE, 10_000);
      const refused = await admit(SCOPE, {});
      expect(refused.admitted).toBe(false);
      expect(msUntil(refused.freeAt)).toBeGreaterThan(60_000);
      expect(msUntil(refused.freeAt)).toBeLessThanOrEqual(90_000);
      expect(await admit('installation:7', {})).toMatchObject({ admitted: true });
      await outbox.pause(SCOPE, 200_000);
      expect(msUntil((await admit(SCOPE, {})).freeAt)).toBeGreaterThan(150_000);
    });

    it('after the clock was set back ends a pause by so much sooner', async () => {
      const { outbox, queue } = current().store;
      await outbox.pause(SCOPE, 3_650_000);
      await queue.bringForward(3_600_000);
      const refused = await admit(SCOPE, {});
      expect(refused.admitted).toBe(false);
      expect(msUntil(refused.freeAt)).toBeLessThanOrEqual(50_000);
      await queue.bringForward(60_000);
      expect(await admit(SCOPE, {})).toMatchObject({ admitted: true });
    });

    it('goes on after a pause, which is no write itself', async () => {
      const { outbox } = current().store;
      await outbox.pause(SCOPE, -1);
      expect(await admit(SCOPE, { gapMs: 50_000, perMinute: 1 })).toMatchObject({ admitted: true });
    });
  });
}
