/** What `standdown attend` is asked for, and what it needs of the world. */
import type { Attendant, AttendedEnd } from '../../core/attended.ts';

interface Command {
  argv: readonly [string, ...string[]];
  /** Between TERM and KILL; null: the task's own, or 10. */
  graceSeconds: number | null;
}

/** An issue ends it: no app, no database, no records. */
export interface IssueOrder extends Command {
  of: 'issue';
  /** `owner/name` */
  repository: string;
  number: number;
  intervalSeconds: number;
}

/** It is the work of a task: an app has it stopped, and is told how it ended. */
export interface TaskOrder extends Command {
  of: 'task';
  desk: TaskDesk;
}

export type AttendOrder = IssueOrder | TaskOrder;

export interface Claimed {
  runId: string;
  graceSeconds: number;
  env: Readonly<Record<string, string>>;
}

/** A run, and the session that has it. */
export interface RunPlace {
  runId: string;
  session: string;
}

export interface DeskNews {
  /** `refused`: it answers, and will not say, e.g. for want of the right token. */
  state: 'running' | 'stopping' | 'over' | 'refused';
  /** The newest that was ordered. */
  signal: 'TERM' | 'KILL' | null;
  why: string | null;
}

/** `isFinal`: said again, it would be answered the same. */
export type EndAnswer = { result: 'taken' } | { result: 'refused'; why: string; isFinal: boolean };

/** The app, as far as one task is concerned. Throws where it gives no answer. */
export interface TaskDesk {
  /** Throws too where the task can't be had now. `told` ends its repeating, `ended` the request itself. */
  claim(session: string, attendant: Attendant, until: { told: AbortSignal; ended: AbortSignal }): Promise<Claimed>;
  /** Asking for news keeps the claim. With patience the answer waits until there are some, for a while. */
  news(at: RunPlace, how: { isPatient: boolean; ended: AbortSignal }): Promise<DeskNews>;
  end(at: RunPlace, end: Omit<AttendedEnd, 'at'> & { agoMs: number }): Promise<EndAnswer>;
}

export type Env = Readonly<Record<string, string | undefined>>;

export interface AttendWorld {
  env: Env;
  /** What the command gets, without what is for Standdown alone. */
  inherited: Env;
  /** One line for people. */
  tell(line: string): void;
}
