/**
 * An attended run: the task's work is a command of somebody's own, in front of which `standdown attend` stands and tells the app of it.
 * What is known of it here is what that session says, and whether its process is alive where that can be seen. Pure.
 */
import { utc } from './report/text.ts';
import type { Probe } from './run.ts';

/** The runner that attended runs have. In `runs_on` it means that only people run the task. */
export const ATTENDED = 'attended';

/** What somebody says to run such a task. */
export function attendCommand(taskId: string): string {
  return `standdown attend --task ${taskId} -- COMMAND`;
}

/** So long nothing may be heard of a session before its run is given up. */
export const LEASE_MS = 900_000;

/** A claim whose session has asked for no news so long can't be waited for. Before its first answer to that no command begins. */
export const CONFIRM_MS = 60_000;

/** One that is to end asks far more often: after so long without a word it does not carry out its KILL. */
export const UNHEARD_MS = 30_000;

/** So many pids are told of at most. */
export const MAX_SURVIVORS = 1_000;

/** Whoever attends: a process by pid and start time, which mean something in one pid namespace of one boot of a machine. */
export interface Attendant {
  /** Its machine's name, for people too. */
  host: string;
  boot: string;
  /** As `/proc/self/ns/pid` names it. */
  pidNamespace: string;
  pid: number;
  /** Field 22 of `/proc/PID/stat`. */
  start: string;
}

/** How the command ended. One of exit code and signal is null. */
export interface AttendedEnd {
  exitCode: number | null;
  /** Without SIG. */
  signal: string | null;
  /** By our clock. */
  at: Date;
  /** Pids that outlived KILL. */
  survivors: readonly number[];
  /** Whether anything of it was sent KILL; null: that was not said. */
  killed: boolean | null;
}

/** `claimed`: until it asks for news once. Then it is `begun`, or, where it never did, `voided` for good; not one after the other. */
export type AttendedPhase = 'claimed' | 'begun' | 'voided';

export interface AttendedRun {
  runId: string;
  /** Made by the session: whoever knows it is the one that claimed the run. */
  session: string;
  attendant: Attendant;
  /** The app that took the claim saw the attendant's process alive, and could read it: where it is not there any more, it is gone. */
  isVisible: boolean;
  claimedAt: Date;
  heardAt: Date;
  phase: AttendedPhase;
  /** The signal that was ordered; null: none was. */
  order: 'term' | 'kill' | null;
  /** The newest signal that an app sent to the command itself, KILL never without TERM before it; null: none did. */
  sent: 'term' | 'kill' | null;
  /** null: it has not told of one. */
  end: AttendedEnd | null;
}

/** What an app sees of a session beside what it says. */
export interface SeenAttendant {
  /** null: it can't be seen from here. */
  alive: boolean | null;
  /** `isUnheard`, and it lives. */
  unheard: boolean;
  /** Pids that belong to the command and live. Only where its attendant doesn't, has told of survivors, or is unheard. */
  left: readonly number[];
}

export const LEFT_REASON = 'whoever claimed it left before its command could begin';

export const GONE_REASON = 'whoever attended it is gone without a word, and so is the command';

export const UNHEARD_REASON = 'whoever attended it lives and gives no sign, and its command is gone';

export interface Hearing {
  now: Date;
  /** Before then nobody here could hear of it. */
  deafUntil: Date;
}

/** It does not carry out what was ordered: it is stopped itself; or it is stuck, or does not reach us, and KILL was ordered. */
export function isUnheard({ heardAt, order, end }: AttendedRun, isStopped: boolean, hearing: Hearing): boolean {
  if (end !== null || order === null) return false;
  return isStopped || (order === 'kill' && silenceMs(heardAt, hearing) >= UNHEARD_MS);
}

export function probeAttended(run: AttendedRun, { alive, unheard, left }: SeenAttendant, hearing: Hearing): Probe {
  const { attendant, claimedAt: startedAt, heardAt, phase, sent, end } = run;
  if (phase === 'voided') return { state: 'voided', reason: LEFT_REASON };
  if (end !== null) {
    const { exitCode, signal, at, survivors } = end;
    // Where nobody can look they live until a person says that they don't.
    const living = alive === null ? survivors : left;
    const ended = { state: 'exited', exitCode, signal, startedAt, endedAt: at, survivors: living } as const;
    return { ...ended, containment: 'scan', ...killedIn(sent === 'kill' || end.killed) };
  }
  if (phase === 'claimed') return { state: 'claimed', until: confirmUntil(run, alive, hearing) };
  // Its guard may have sent KILL.
  const killed = killedIn(sent === null ? null : sent === 'kill');
  if (alive === false) return { state: 'vanished', startedAt, survivors: left, reason: GONE_REASON, ...killed };
  if (unheard) {
    const reason = UNHEARD_REASON;
    return { state: 'vanished', startedAt, survivors: left, reason, ...killedIn(sent === 'kill') };
  }
  if (alive === null && silenceMs(heardAt, hearing) >= LEASE_MS) {
    return { state: 'no_record', reason: silenceReason(attendant, heardAt) };
  }
  // Its output goes past us, and is no sign of silence.
  return { state: 'running', startedAt, lastOutputAt: hearing.now, containment: 'scan' };
}

function confirmUntil({ claimedAt }: AttendedRun, alive: boolean | null, { deafUntil }: Hearing): Date {
  // Nobody is left that could say so.
  if (alive === false) return claimedAt;
  return new Date(Math.max(claimedAt.getTime(), deafUntil.getTime()) + CONFIRM_MS);
}

function killedIn(killed: boolean | null): { killed?: boolean } {
  return killed === null ? {} : { killed };
}

function silenceMs(heardAt: Date, { now, deafUntil }: Hearing): number {
  return now.getTime() - Math.max(heardAt.getTime(), deafUntil.getTime());
}

/** With the time itself: it is told long after. */
function silenceReason({ host }: Attendant, heardAt: Date): string {
  return `nothing was heard of whoever attends it on ${host} since ${utc(heardAt)}`;
}
