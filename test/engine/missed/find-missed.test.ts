/** Deliveries that did not arrive: which are found, how often they are asked for, and what becomes of them. */
import { beforeEach, describe, expect, it } from 'vitest';
import type { Deps } from '../../../src/engine/deps.ts';
import { missedState } from '../../../src/engine/missed/index.ts';
import type { SweepReader } from '../../../src/engine/ports.ts';
import { makeStage, refusedWith, type Stage } from './stage.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

let stage: Stage;
beforeEach(() => {
  stage = makeStage();
});

const inMs = (next: Date) => next.getTime() - stage.clock().getTime();

describe('a look at what GitHub delivered', () => {
  it('costs one request while all arrived, and comes again in five minutes', async () => {
    for (let i = 0; i < 250; i += 1) {
      stage.attempt(`guid-${i}`, true);
      stage.forward(1_000);
    }
    await stage.look();
    stage.forward(5 * MINUTE);
    await stage.look();
    stage.state.requests = 0;
    stage.forward(5 * MINUTE);
    expect(inMs(await stage.look())).toBe(5 * MINUTE);
    expect(stage.state.requests).toBe(1);
    expect(stage.asked).toEqual([]);
  });

  it('asks again for what never arrived, by its newest attempt, and for nothing else', async () => {
    stage.attempt('came', true);
    stage.attempt('lost', false);
    stage.attempt('sent-by-hand', false);
    stage.attempt('sent-by-hand', true);
    stage.attempt('doubled', true);
    stage.attempt('doubled', false);
    const newest = stage.attempt('lost', false);
    await stage.look();
    expect(stage.asked).toEqual([newest.id]);
    expect(await stage.stateOf('lost')).toBe('missed');
    expect(await missedState(stage.deps)).toMatchObject({ counts: { missed: 1 }, oldestMissedAt: newest.deliveredAt });
  });

  it('leaves alone what is here, though GitHub gave up waiting for the answer', async () => {
    stage.attempt('late', false);
    await stage.receive('late');
    await stage.look();
    expect(stage.asked).toEqual([]);
    expect(await stage.stateOf('late')).toBeNull();
  });

  it.each([
    ['issues', true],
    ['issue_comment', true],
    ['issue_dependencies', true],
    ['push', true],
    ['installation', true],
    ['installation_repositories', true],
    ['installation_target', true],
    ['repository', true],
    ['ping', false],
    ['check_run', false],
    ['github_app_authorization', false],
  ])('asks for %s again: %s', async (event, isUsed) => {
    stage.attempt('lost', false, { event });
    await stage.look();
    expect(stage.asked).toHaveLength(isUsed ? 1 : 0);
  });

  it('goes back three days the first time, and then to where the last one ended, a little further', async () => {
    stage = makeStage({ perPage: 2 });
    stage.attempt('too-old', false);
    stage.attempt('older', true);
    stage.forward(3 * DAY + MINUTE);
    stage.attempt('lost', false);
    for (let i = 0; i < 6; i += 1) stage.attempt(`came-${i}`, true);
    await stage.look();
    expect(stage.asked).toEqual(['1002']);
    expect(stage.state.requests).toBe(4);
    stage.forward(5 * MINUTE);
    stage.state.requests = 0;
    stage.attempt('came-after', true);
    stage.attempt('came-after-2', true);
    stage.attempt('came-after-3', true);
    await stage.look();
    // Back to the first one that is older than the last look, less the overlap.
    expect(stage.state.requests).toBe(6);
    stage.state.requests = 0;
    await stage.look();
    expect(stage.state.requests).toBe(2);
  });

  it('finds an attempt that is listed late, below one that was seen', async () => {
    stage.forward(MINUTE);
    stage.attempt('came', true);
    await stage.look();
    const late = {
      ...stage.attempt('slow', false),
      id: '999',
      deliveredAt: new Date(stage.clock().getTime() - MINUTE),
    };
    stage.attempts.pop();
    stage.attempts.unshift(late);
    await stage.look();
    expect(stage.asked).toEqual(['999']);
  });

  it('finds it also where this app stood still after GitHub had answered', async () => {
    stage.forward(MINUTE);
    stage.attempt('came', true);
    const { hookAttempts } = stage.deps.github as SweepReader;
    stage.deps.github = {
      ...stage.deps.github,
      async hookAttempts(cursor: string | null) {
        const page = await hookAttempts(cursor);
        stage.forward(10 * MINUTE);
        return page;
      },
    } as Deps['github'];
    await stage.look();
    Object.assign(stage.deps.github as SweepReader, { hookAttempts });
    const deliveredAt = new Date(stage.clock().getTime() - 11 * MINUTE);
    stage.attempts.unshift({ ...stage.attempt('slow', false), id: '999', deliveredAt });
    stage.attempts.pop();
    await stage.look();
    expect(stage.asked).toEqual(['999']);
  });

  it('that is cut short is made again from its beginning, and asks for each once', async () => {
    stage = makeStage({ perPage: 1 });
    stage.attempt('lost-1', false);
    stage.attempt('lost-2', false);
    stage.attempt('lost-3', false);
    stage.state.fails = [null, null, refusedWith(502)];
    await expect(stage.look()).rejects.toThrow('502');
    expect(stage.asked).toEqual([]);
    await stage.look();
    expect(stage.asked.toSorted()).toEqual(['1000', '1001', '1002']);
  });

  it('goes by the clock of GitHub, however far ours is off', async () => {
    stage.state.offsetMs = -10 * DAY;
    stage.attempt('lost', false);
    await stage.look();
    expect(stage.asked).toHaveLength(1);
    expect(await stage.stateOf('lost')).toBe('missed');
  });

  it('asks for nothing where a token drives, and comes again in an hour', async () => {
    stage.state.delivers = false;
    expect(inMs(await stage.look())).toBe(HOUR);
    expect(await missedState(stage.deps)).toMatchObject({ lookedAt: null, counts: { missed: 0 } });
    stage.deps.github = null;
    expect(inMs(await stage.look())).toBe(HOUR);
  });
});

describe('where GitHub does not tell', () => {
  it.each([403, 404])('a %s is told once, shown, and tried again each hour until it answers', async (status) => {
    stage.state.fails = [refusedWith(status), refusedWith(status)];
    expect(inMs(await stage.look())).toBe(HOUR);
    expect(inMs(await stage.look())).toBe(HOUR);
    expect(stage.warned).toEqual(['GitHub does not tell of missed deliveries']);
    expect((await missedState(stage.deps)).refusal).toContain(String(status));
    expect(inMs(await stage.look())).toBe(5 * MINUTE);
    expect(await missedState(stage.deps)).toMatchObject({ refusal: null, lookedAt: stage.clock() });
  });

  it.each([401, 429, 500])('a %s is a failure like any other', async (status) => {
    stage.state.fails = [refusedWith(status)];
    await expect(stage.look()).rejects.toThrow(String(status));
    expect(stage.warned).toEqual([]);
  });
});

describe('a missed delivery', () => {
  beforeEach(() => {
    stage.attempt('lost', false);
  });

  it('is recovered once it is here', async () => {
    expect(inMs(await stage.look())).toBe(30_000);
    await stage.receive('lost');
    expect(inMs(await stage.look())).toBe(5 * MINUTE);
    expect(await stage.stateOf('lost')).toBe('recovered');
    expect(stage.asked).toHaveLength(1);
  });

  it('is recovered once GitHub says that it arrived', async () => {
    await stage.look();
    stage.attempt('lost', true);
    await stage.look();
    expect(await stage.stateOf('lost')).toBe('recovered');
  });

  it('is asked for twice at most, five minutes apart, and then given up', async () => {
    await stage.look();
    stage.attempt('lost', false);
    stage.forward(5 * MINUTE - 1);
    expect(inMs(await stage.look())).toBe(1);
    expect(stage.asked).toHaveLength(1);
    stage.forward(1);
    await stage.look();
    stage.attempt('lost', false);
    expect(stage.asked).toHaveLength(2);
    for (let looks = 0; looks < 3; looks += 1) {
      stage.forward(5 * MINUTE);
      await stage.look();
    }
    expect(stage.asked).toEqual(['1000', '1000']);
    expect(await missedState(stage.deps)).toMatchObject({
      counts: { missed: 0, recovered: 0, given_up: 1 },
      gaveUpAt: new Date(stage.clock().getTime() - 10 * MINUTE),
    });
  });

  it('that was given up is recovered where somebody has it sent again', async () => {
    stage.state.onAsk = () => 'gone';
    await stage.look();
    expect(await stage.stateOf('lost')).toBe('given_up');
    stage.attempt('lost', true);
    await stage.look();
    expect(await stage.stateOf('lost')).toBe('recovered');
  });

  it('is given up after three days, without a further ask', async () => {
    await stage.look();
    stage.forward(3 * DAY);
    await stage.look();
    expect(stage.asked).toHaveLength(1);
    expect(await stage.stateOf('lost')).toBe('given_up');
  });

  it('was counted before it is asked for, so that a process that dies meanwhile never makes a third ask of it', async () => {
    let dies = true;
    stage.state.onAsk = () => {
      if (dies) throw new Error('killed');
      return 'asked';
    };
    await expect(stage.look()).rejects.toThrow('killed');
    expect(await stage.store.missedDelivery('lost')).toMatchObject({ asked: 1 });
    dies = false;
    for (let looks = 0; looks < 4; looks += 1) {
      await stage.look();
      stage.forward(5 * MINUTE);
    }
    expect(stage.asked).toHaveLength(2);
    expect(await stage.stateOf('lost')).toBe('given_up');
  });

  it.each([
    [429, 0],
    [500, 1],
  ])('of which an ask ends with %s has spent %i', async (status, spent) => {
    stage.state.onAsk = () => {
      throw refusedWith(status);
    };
    await expect(stage.look()).rejects.toThrow(String(status));
    expect(await stage.store.missedDelivery('lost')).toMatchObject({ asked: spent, state: 'missed' });
  });

  it('does not wait for longer because a clock was set back', async () => {
    await stage.look();
    stage.forward(-HOUR);
    await stage.look();
    expect(stage.asked).toHaveLength(2);
  });
});

it('many missed deliveries are asked for a few at a time, each once', async () => {
  for (let i = 0; i < 23; i += 1) stage.attempt(`lost-${i}`, false);
  await stage.look();
  expect(stage.asked).toHaveLength(5);
  for (let looks = 0; looks < 6; looks += 1) await stage.look();
  expect(new Set(stage.asked).size).toBe(23);
  expect(stage.asked).toHaveLength(23);
});
