/** Attended runs as they are seen from the machine of whoever attends, and from others: real processes, a store in memory. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AttendedRun } from '../../../src/core/attended.ts';
import type { JobControl, Store } from '../../../src/engine/ports.ts';
import { openAttendedRunner } from '../../../src/runners/process/attended/control.ts';
import { attendantOfSelf, placeOfSelf, seesAlive, seesAll } from '../../../src/runners/process/attended/sight.ts';
import { readStat } from '../../../src/runners/process/proc.ts';
import { makeMemoryStore } from '../../../src/store/memory/index.ts';
import { insertRun, insertTask, putRepository, T0 } from '../../contract/store/records.ts';
import { deadline, endByWord, eventually, expectGone, findByWord, makeMarker, NASTY } from '../../support/processes.ts';

let store: Store;
let now: Date;
let control: JobControl;
let marker: string;
let session: string;

beforeEach(async () => {
  now = T0;
  store = makeMemoryStore({ now: () => now });
  await store.commit([putRepository, insertTask(), insertRun({ id: 'run-1', runner: 'attended' })]);
  control = openAttendedRunner({ store, here: placeOfSelf(), now: () => now });
  marker = makeMarker();
  session = randomUUID();
});

afterEach(() => endByWord(marker));

/** A process that stands for `standdown attend`. */
async function anAttendant(): Promise<{ child: ChildProcess; attendant: AttendedRun['attendant'] }> {
  const child = start(['plain'], {});
  const { pid = 0 } = child;
  const start_ = await eventually(() => readStat(pid)?.start ?? Promise.reject(new Error('not there yet')));
  return { child, attendant: { ...attendantOfSelf(), pid, start: start_ } };
}

function start([mode = 'plain']: readonly string[], env: Record<string, string>): ChildProcess {
  const [program, ...words] = ['perl', NASTY, mode, marker, deadline(60)] as const;
  return spawn(program, words, { stdio: 'ignore', env: { PATH: process.env.PATH ?? '', ...env } });
}

async function keep(attendant: AttendedRun['attendant'], set: Partial<AttendedRun> = {}): Promise<void> {
  const times = { claimedAt: T0, heardAt: T0 };
  const attended = {
    runId: 'run-1',
    session,
    attendant,
    isVisible: true,
    ...times,
    ...{ phase: 'begun' as const, order: null, sent: null, end: null },
    ...set,
  };
  await store.commit([{ write: 'attended.insert', attended }]);
}

const probe = async () => (await control.inspect(['run-1'])).get('run-1');

/** Time passes, and the engine looks as often as it does. */
async function lookOn(seconds: number): Promise<void> {
  for (let passed = 0; passed < seconds; passed += 60) {
    now = new Date(now.getTime() + 60_000);
    await control.list();
  }
}

async function kill(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

describe('where it is seen', () => {
  it('runs as long as its process, and is gone with the last of its command', async () => {
    const { child, attendant } = await anAttendant();
    const command = start(['ignores_term'], { STANDDOWN_ATTENDED: session });
    await keep(attendant);
    now = new Date(T0.getTime() + 86_400_000);
    expect(await probe()).toMatchObject({ state: 'running', lastOutputAt: now });
    await kill(child);
    await eventually(async () => expect(await probe()).toMatchObject({ state: 'vanished', survivors: [command.pid] }));
    // Its guard is gone, too: nobody else would.
    expect(await control.cancel('run-1', 'term')).toBe('accepted');
    expect(command.exitCode ?? command.signalCode).toBeNull();
    const ended = once(command, 'exit');
    expect(await control.cancel('run-1', 'kill')).toBe('accepted');
    expect((await ended)[1]).toBe('SIGKILL');
    expect(await probe()).toMatchObject({ state: 'vanished', survivors: [], reason: expect.any(String) });
  });

  it('is not gone while its guard lives, which ends the rest in its own time', async () => {
    const { child, attendant } = await anAttendant();
    await keep(attendant);
    const guard = start(['plain'], { STANDDOWN_GUARDS: session });
    const command = start(['plain'], { STANDDOWN_ATTENDED: session });
    await kill(child);
    const both = { state: 'vanished', survivors: expect.arrayContaining([guard.pid, command.pid]) };
    await eventually(async () => expect(await probe()).toMatchObject(both));
    await control.cancel('run-1', 'kill');
    // A signal that was sent would have been taken by then.
    for (let look = 0; look < 40; look += 1) expect(findByWord(marker)).toContain(command.pid);
    endByWord(marker);
    expectGone(marker);
    await eventually(async () => expect(await probe()).toMatchObject({ survivors: [] }));
  });

  it('names of its survivors those that are still there', async () => {
    const { child, attendant } = await anAttendant();
    const left = start(['plain'], { STANDDOWN_ATTENDED: session });
    // Of somebody else since.
    const reused = start(['plain'], {});
    const survivors = [left.pid ?? 0, reused.pid ?? 0, 4_194_304];
    await eventually(() => expect(findByWord(marker)).toEqual(expect.arrayContaining([left.pid, reused.pid])));
    const end = { exitCode: null, signal: 'KILL', at: T0, survivors, killed: true };
    await keep(attendant, { end });
    await kill(child);
    expect(await probe()).toMatchObject({ state: 'exited', survivors: [left.pid] });
    expect(await control.forget?.('run-1')).toBe(false);
    await kill(left);
    expect(await probe()).toMatchObject({ state: 'exited', survivors: [] });
    expect(await control.forget?.('run-1')).toBe(true);
    expect(await probe()).toEqual({ state: 'no_record' });
  });
});

describe('where its attendant does not carry out what is ordered', () => {
  /** It starts the command itself, as `standdown attend` does, and may stop then. */
  async function withCommand(mode: string, last = ''): Promise<{ child: ChildProcess; below: number }> {
    const word = `$p = fork; exec @ARGV if !$p; ${last}; sleep 60`;
    const env = { PATH: process.env.PATH ?? '' };
    const [program, ...words] = ['perl', '-e', word, 'perl', NASTY, mode, marker, deadline(60)] as const;
    const child = spawn(program, words, { stdio: 'ignore', env });
    const { pid = 0 } = child;
    const below = await eventually(
      () => findByWord(marker).find((one) => readStat(one)?.ppid === pid) ?? Promise.reject(new Error('not there yet')),
    );
    if (last !== '') await eventually(() => expect(readStat(pid)).toMatchObject({ isStopped: true }));
    await keep({ ...attendantOfSelf(), pid, start: readStat(pid)?.start ?? '' });
    return { child, below };
  }

  const sent = async () => (await store.attendedRunOf(session))?.sent;

  it('since it is stopped itself, the command has TERM from here at once, and is over when that was enough', async () => {
    const { child, below } = await withCommand('plain', 'kill STOP => $$');
    // Stopped with it, as by Ctrl-Z.
    process.kill(below, 'SIGSTOP');
    expect(await probe()).toMatchObject({ state: 'running' });
    await control.cancel('run-1', 'term');
    await eventually(async () =>
      expect(await probe()).toMatchObject({ state: 'vanished', survivors: [], killed: false }),
    );
    await control.cancel('run-1', 'kill');
    expect([readStat(below), await sent(), (await probe()) as object]).toMatchObject([null, 'term', { killed: false }]);
    expect(readStat(child.pid ?? 0)).not.toBeNull();
  });

  it('since it is stopped itself, what outlives TERM has KILL once that is ordered', async () => {
    const { child, below } = await withCommand('ignores_term', 'kill STOP => $$');
    const marked = start(['own_session'], { STANDDOWN_ATTENDED: session });
    const guard = start(['plain'], { STANDDOWN_GUARDS: session });
    await eventually(() => expect(findByWord(marker)).toEqual(expect.arrayContaining([marked.pid, guard.pid])));
    await control.cancel('run-1', 'term');
    await control.cancel('run-1', 'term');
    expect(await probe()).toMatchObject({ state: 'vanished', survivors: expect.arrayContaining([below]) });
    await control.cancel('run-1', 'kill');
    await eventually(async () =>
      expect(await probe()).toMatchObject({ state: 'vanished', survivors: [], killed: true }),
    );
    expect([readStat(below), readStat(marked.pid ?? 0)]).toEqual([null, null]);
    // It may yet go on, and its guard is no part of the command.
    expect([readStat(child.pid ?? 0), readStat(guard.pid ?? 0)]).not.toContain(null);
  });

  it('since it is stuck, the command has TERM and then KILL from here, half a minute after KILL was ordered', async () => {
    const { below } = await withCommand('ignores_term');
    await control.cancel('run-1', 'term');
    await control.cancel('run-1', 'kill');
    now = new Date(T0.getTime() + 29_000);
    await control.cancel('run-1', 'kill');
    expect([await probe(), await sent()]).toMatchObject([{ state: 'running' }, null]);
    now = new Date(T0.getTime() + 30_000);
    await control.cancel('run-1', 'kill');
    expect([await probe(), await sent()]).toMatchObject([{ state: 'vanished', survivors: [below] }, 'term']);
    await control.cancel('run-1', 'kill');
    await eventually(async () =>
      expect(await probe()).toMatchObject({ state: 'vanished', survivors: [], killed: true }),
    );
    // And is heard again.
    await store.commit([{ write: 'attended.update', runId: 'run-1', session, set: { heardAt: now } }]);
    expect(await probe()).toMatchObject({ state: 'running' });
  });
});

it('is not unheard because this process stood still after it had read when it was heard', async () => {
  const { attendant } = await anAttendant();
  await keep(attendant);
  await control.cancel('run-1', 'term');
  await control.cancel('run-1', 'kill');
  const { attendedRuns } = store;
  store.attendedRuns = async (ids) => {
    const found = await attendedRuns(ids);
    now = new Date(now.getTime() + 60_000);
    return found;
  };
  expect(await probe()).toMatchObject({ state: 'running' });
});

describe('where it is not seen', () => {
  it.each([
    ['another host', { host: 'another' }, true],
    ['another boot', { boot: randomUUID() }, true],
    ['another pid namespace, as in a container', { pidNamespace: '1' }, true],
    ['a pid that was never seen, as of somebody else under hidepid', {}, false],
  ])('a pid says nothing on %s', async (_, elsewhere, isVisible) => {
    const { child, attendant } = await anAttendant();
    await keep({ ...attendant, ...elsewhere }, { isVisible });
    await kill(child);
    expect(await probe()).toMatchObject({ state: 'running' });
    await lookOn(840);
    expect(await probe()).toMatchObject({ state: 'running' });
    await lookOn(60);
    expect(await probe()).toMatchObject({ state: 'no_record', reason: expect.stringContaining('nothing was heard') });
  });

  it('is given its whole lease anew after a time in which nobody looked, or the clock was set forward', async () => {
    await keep({ ...attendantOfSelf(), host: 'another' });
    expect(await probe()).toMatchObject({ state: 'running' });
    now = new Date(T0.getTime() + 1_200_000);
    expect(await probe()).toMatchObject({ state: 'running' });
    await lookOn(840);
    expect(await probe()).toMatchObject({ state: 'running' });
    await lookOn(60);
    expect(await probe()).toMatchObject({ state: 'no_record' });
  });

  it('is given it too after a time in which the database gave no answer', async () => {
    await keep({ ...attendantOfSelf(), host: 'another' });
    const { attendedRuns } = store;
    let isAway = true;
    const away = async (ids: readonly string[]) => (isAway ? Promise.reject(new Error('away')) : attendedRuns(ids));
    control = openAttendedRunner({ store: { ...store, attendedRuns: away }, here: placeOfSelf(), now: () => now });
    for (let minute = 0; minute < 20; minute += 1) {
      now = new Date(now.getTime() + 60_000);
      await expect(probe()).rejects.toThrow('away');
    }
    isAway = false;
    expect(await probe()).toMatchObject({ state: 'running' });
  });

  it('is seen where a process of that start time has that pid', async () => {
    const { child, attendant } = await anAttendant();
    const here = placeOfSelf();
    expect(seesAlive(attendant, here)).toBe(true);
    expect(seesAlive({ ...attendant, start: '1' }, here)).toBe(false);
    expect(seesAlive({ ...attendant, boot: randomUUID() }, here)).toBe(false);
    expect(seesAlive(attendant, null)).toBe(false);
    await kill(child);
    expect(seesAlive(attendant, here)).toBe(false);
  });
});

describe('a claim', () => {
  it('is of a process that can be read: the mark of another account’s command is not seen', async () => {
    const { attendant } = await anAttendant();
    const here = placeOfSelf();
    expect(seesAll(attendant, here)).toBe(true);
    const { geteuid, seteuid } = process;
    if (geteuid?.() === 0) {
      seteuid?.(65_534);
      try {
        expect([seesAlive(attendant, here), seesAll(attendant, here)]).toEqual([true, false]);
      } finally {
        seteuid?.(0);
      }
    } else {
      const first = { ...attendant, pid: 1, start: readStat(1)?.start ?? '' };
      expect([seesAlive(first, here), seesAll(first, here)]).toEqual([true, false]);
    }
  });
});

describe('a claim that nobody has confirmed', () => {
  it('is voided once, and then can not begin', async () => {
    await keep(attendantOfSelf(), { phase: 'claimed' });
    expect(await probe()).toEqual({ state: 'claimed', until: new Date(T0.getTime() + 60_000) });
    expect(await control.cancel('run-1', 'void')).toBe('accepted');
    expect(await control.cancel('run-1', 'void')).toBe('already_ended');
    expect(await probe()).toMatchObject({ state: 'voided', reason: expect.any(String) });
  });

  it('is over where its process is gone', async () => {
    const { child, attendant } = await anAttendant();
    await keep(attendant, { phase: 'claimed' });
    await kill(child);
    expect(await probe()).toEqual({ state: 'claimed', until: T0 });
  });
});

describe('an order', () => {
  it('is kept for its session, hinted at once, and never taken back', async () => {
    await keep(attendantOfSelf());
    const hints: string[] = [];
    control.onHint((id) => hints.push(id));
    const order = async () => (await store.attendedRunOf(session))?.order;
    for (const mode of ['term', 'term', 'kill', 'term', 'kill'] as const) await control.cancel('run-1', mode);
    expect([await order(), hints]).toEqual(['kill', ['run-1', 'run-1']]);
    expect(await control.cancel('run-1', 'void')).toBe('already_ended');
    expect(await control.cancel('no-run', 'term')).toBe('no_record');
    const start_ = { ...{ runId: 'run-1', taskId: 't', argv: ['true'], env: {} }, envFrom: [], workingDirectory: null };
    expect(await control.start(start_)).toMatchObject({ result: 'refused' });
    expect(await control.log('run-1', 100)).toMatch(/^\[standdown: its output is not kept here: it went to whoever /);
  });
});
