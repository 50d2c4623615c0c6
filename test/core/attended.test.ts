import { describe, expect, it } from 'vitest';
import {
  type AttendedRun,
  GONE_REASON,
  isUnheard,
  LEFT_REASON,
  probeAttended,
  type SeenAttendant,
} from '../../src/core/attended.ts';
import { at } from '../support/builders.ts';

const unseen: SeenAttendant = { alive: null, unheard: false, left: [] };
const gone = { alive: false, unheard: false } as const;
const attendant = { host: 'lab-3', boot: 'b', pidNamespace: '1', pid: 7, start: '8' };

function anAttendedRun(set: Partial<AttendedRun> = {}): AttendedRun {
  return {
    ...{ runId: 'run_1', session: 's', attendant, isVisible: true, claimedAt: at(0), heardAt: at(0) },
    ...{ phase: 'begun', order: null, sent: null, end: null, ...set },
  };
}

const probe = (run: Partial<AttendedRun>, seen: SeenAttendant, seconds = 0, deafUntil = at(0)) =>
  probeAttended(anAttendedRun(run), seen, { now: at(seconds), deafUntil });

describe('an attended run', () => {
  it('runs while its process is seen, however long nothing is heard of it, and is never silent', () => {
    const seen = { alive: true, unheard: false, left: [] };
    expect(probe({}, seen, 86_400)).toMatchObject({ state: 'running', startedAt: at(0), lastOutputAt: at(86_400) });
  });

  it('is gone where its process was seen and is not there any more, once nothing of it is left', () => {
    expect(probe({}, { ...gone, left: [9] })).toMatchObject({ state: 'vanished', survivors: [9] });
    expect(probe({}, { ...gone, left: [] }, 1)).toMatchObject({ survivors: [], reason: GONE_REASON });
  });

  it('is neither alive nor dead where nothing is seen or heard of it for longer than its lease', () => {
    expect(probe({ heardAt: at(10) }, unseen, 909)).toMatchObject({ state: 'running' });
    const reason = 'nothing was heard of whoever attends it on lab-3 since 2026-03-01 12:00:10 UTC';
    expect(probe({ heardAt: at(10) }, unseen, 910)).toEqual({ state: 'no_record', reason });
  });

  it('is not given up for a time in which nobody could hear of it', () => {
    expect(probe({}, unseen, 4_499, at(3_600))).toMatchObject({ state: 'running' });
    expect(probe({}, unseen, 4_500, at(3_600))).toMatchObject({ state: 'no_record' });
  });

  it('is unheard where it is ordered to end and stopped itself, or has not heard of its KILL for half a minute', () => {
    const unheard = (run: Partial<AttendedRun>, isStopped: boolean, seconds: number, deafUntil = at(0)) =>
      isUnheard(anAttendedRun(run), isStopped, { now: at(seconds), deafUntil });
    expect(unheard({ order: 'term' }, true, 0)).toBe(true);
    expect(unheard({}, true, 100)).toBe(false);
    expect(unheard({ order: 'kill' }, false, 29)).toBe(false);
    expect(unheard({ order: 'kill' }, false, 30)).toBe(true);
    expect(unheard({ order: 'kill' }, false, 89, at(60))).toBe(false);
    expect(unheard({ order: 'term' }, false, 89)).toBe(false);
    const end = { exitCode: 0, signal: null, at: at(5), survivors: [], killed: false };
    expect(unheard({ order: 'kill', end }, true, 89)).toBe(false);
  });

  it('is what is left of its command, where it is seen and unheard', () => {
    expect(probe({ order: 'kill' }, { alive: true, unheard: true, left: [9] })).toMatchObject({
      ...{ state: 'vanished', survivors: [9] },
    });
    // Elsewhere nobody can say more than that nothing is heard.
    expect(probe({ order: 'kill' }, unseen, 30)).toMatchObject({ state: 'running' });
  });

  it('was sent KILL if an app did that, or who attends it says so, whatever was ordered', () => {
    const unheard = { alive: true, unheard: true, left: [] };
    expect(probe({ order: 'kill', sent: 'term' }, unheard)).toMatchObject({ killed: false });
    expect(probe({ order: 'kill', sent: 'kill' }, unheard)).toMatchObject({ killed: true });
    expect(probe({ order: 'kill', sent: 'kill' }, { ...gone, left: [] })).toMatchObject({ killed: true });
    const end = { exitCode: 0, signal: null, at: at(5), survivors: [] };
    expect(probe({ order: 'kill', end: { ...end, killed: false } }, unseen)).toMatchObject({ killed: false });
    expect(probe({ order: 'term', end: { ...end, killed: true } }, unseen)).toMatchObject({ killed: true });
    // Its guard, or a session that does not say, may have.
    expect(probe({ order: 'kill' }, { ...gone, left: [] })).not.toHaveProperty('killed');
    expect(probe({ order: 'kill', end: { ...end, killed: null } }, unseen)).not.toHaveProperty('killed');
  });

  it('that is only claimed waits a minute to begin, and not for one that is gone', () => {
    const phase = 'claimed';
    expect(probe({ phase }, unseen, 10)).toEqual({ state: 'claimed', until: at(60) });
    expect(probe({ phase }, unseen, 10, at(100))).toEqual({ state: 'claimed', until: at(160) });
    expect(probe({ phase }, { alive: true, unheard: false, left: [] }, 10)).toEqual({
      state: 'claimed',
      until: at(60),
    });
    expect(probe({ phase }, { ...gone, left: [] }, 10)).toEqual({ state: 'claimed', until: at(0) });
    expect(probe({ phase: 'voided' }, unseen, 10)).toEqual({ state: 'voided', reason: LEFT_REASON });
  });

  it('has ended as it was told, whatever is seen', () => {
    const end = { exitCode: null, signal: 'KILL', at: at(5), survivors: [12, 13], killed: null };
    const told = { state: 'exited', exitCode: null, signal: 'KILL', startedAt: at(0), endedAt: at(5) };
    expect(probe({ end }, unseen, 100_000)).toMatchObject({ ...told, survivors: [12, 13] });
    // Where they can be looked for, what is not there any more is none.
    expect(probe({ end }, { ...gone, left: [13] })).toMatchObject({ ...told, survivors: [13] });
    expect(probe({ end }, { alive: true, unheard: false, left: [] })).toMatchObject({ ...told, survivors: [] });
  });
});
