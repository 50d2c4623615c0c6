import { describe, expect, it } from 'vitest';
import { makeJudge } from '../../src/cli/verdict.ts';
import { batchView, understand } from '../../src/cli/views.ts';
import { batchAs } from './support.ts';

function judged(...looks: Record<string, unknown>[]) {
  const judge = makeJudge();
  return looks.map((look) => judge(understand(batchView, batchAs(look))));
}

const STUCK = { stuck: true, counts: { blocked: 1, done: 2 } };
const FAILED = { state: 'failed', counts: { failed: 1 } };

describe('what a batch means for whoever waits for it', () => {
  it.each([
    ['completed', 0],
    ['partial', 1],
    ['failed', 1],
    ['cancelled', 1],
  ])('one that is %s has ended with %d', (state, exitCode) => {
    expect(judged({ state, counts: { done: 1 } })).toEqual([exitCode]);
  });

  it('one that is stuck needs a person, once two looks in a row show it', () => {
    expect(judged(STUCK, STUCK)).toEqual([null, 4]);
    expect(judged(STUCK, { counts: { running: 1 } }, STUCK, STUCK)).toEqual([null, null, null, 4]);
  });

  it('one that a failure stopped has failed, unless somebody has to act as well', () => {
    const stopped = { stuck: true, on_failure: 'stop', counts: { failed: 1, ready: 3 } };
    expect(judged(stopped, stopped)).toEqual([null, 1]);
    const blocked = { ...stopped, counts: { failed: 1, ready: 3, blocked: 1 } };
    expect(judged(blocked, blocked)).toEqual([null, 4]);
    const goesOn = { ...stopped, on_failure: 'continue' };
    expect(judged(goesOn, goesOn)).toEqual([null, 4]);
  });

  it('one that is being resumed goes on, whatever its state still says', () => {
    const order = { kind: 'resume', actor: 'api' };
    expect(judged({ ...FAILED, order }, { ...STUCK, order }, { ...STUCK, order })).toEqual([null, null, null]);
    expect(judged({ ...FAILED, counts: { ready: 1 } }, { ...STUCK, counts: { running: 1 } })).toEqual([null, null]);
    expect(judged({ ...FAILED, order }, FAILED)).toEqual([null, 1]);
  });
});
