/**
 * One attempt at a task. States: `starting` (the row exists, the process may not) → `running` → `stopping` (a cancel is
 * recorded) → one of the four ends. An end is written only after the runner was seen to have no live process of the run.
 */
import type { EnvironmentReason, FailureClass } from './failure.ts';
import type { OwnWord } from './own-word.ts';
import type { Cause } from './task.ts';

export type RunState = 'starting' | 'running' | 'stopping' | 'succeeded' | 'failed' | 'cancelled' | 'lost';

export const LIVE_RUN_STATES = ['starting', 'running', 'stopping'] as const satisfies readonly RunState[];

/** Ids of runs become names of files, directories and parts of addresses. */
export function isRunId(id: string): boolean {
  return /^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$/.test(id);
}

/** What a runner can promise about processes that a run leaves behind. `scan` is best effort. */
export type Containment = 'cgroup' | 'pidns' | 'scan';

/** Where the branch that a task names as its evidence was right before a run of it began. `unread`: GitHub didn't say in time. */
export type BranchBefore =
  /** Git's id of its newest commit. */
  { found: 'head'; head: string } | { found: 'none' } | { found: 'unread' };

export interface Run {
  id: string;
  taskId: string;
  /** 1, 2, 3 … per task, over all generations. */
  number: number;
  generation: number;
  /** `verify`: it judges the work run before it. */
  purpose: 'work' | 'verify';
  runner: string;
  state: RunState;
  cause: Cause | null;
  /** A sentence for people, e.g. why it was lost. */
  reason: string | null;
  failureClass: FailureClass | null;
  exitCode: number | null;
  /** Name without SIG, e.g. `TERM`. */
  signal: string | null;
  containment: Containment | null;
  createdAt: Date;
  startedAt: Date | null;
  /** When the cancel was committed, before any signal. */
  cancelRequestedAt: Date | null;
  termAt: Date | null;
  killAt: Date | null;
  /** Pids seen alive after KILL; empty once they are gone. */
  survivors: readonly number[];
  /** When the run's own first process ended, by its machine's clock. */
  endedAt: Date | null;
  /** When the runner was seen to have no live process of it. */
  goneAt: Date | null;
  /** null: nobody looked, for its task named none, or it is a verify run. */
  branchBefore: BranchBefore | null;
}

export function isLive(run: Run | null): run is Run {
  return run !== null && (LIVE_RUN_STATES as readonly RunState[]).includes(run.state);
}

/** What a runner says of one run. No answer at all is not a probe: it is an `unreachable` error. */
export type Probe =
  /** Neither claimed nor voided: a start may be tried (again). */
  | { state: 'unclaimed' }
  /** The start was voided before a process existed; it can never begin. `reason`: nobody is to blame, a sentence for people. */
  | { state: 'voided'; reason?: string }
  /** Whoever claimed it has not said yet that it begins; from then on it is to be voided. */
  | { state: 'claimed'; until: Date }
  /** `lastOutputAt`: from when on it is silent, its output or the time from which it could be heard again. */
  | { state: 'running'; startedAt: Date; lastOutputAt: Date | null; containment: Containment }
  /** The first process ended. `survivors` are live pids that still belong to the run: it is gone only when empty. */
  | {
      state: 'exited';
      exitCode: number | null;
      signal: string | null;
      startedAt: Date | null;
      endedAt: Date;
      survivors: readonly number[];
      containment: Containment;
      /** The runner's own word for an end that was not the program's doing. */
      reason?: EnvironmentReason;
      /** Not there: it said nothing. */
      said?: OwnWord;
      /** Whether anything of it was sent KILL. Not there: as was ordered. */
      killed?: boolean;
    }
  /** It was claimed, no exit is recorded, and nothing of it is alive: killed from outside, or the machine restarted. */
  | {
      state: 'vanished';
      startedAt: Date | null;
      survivors: readonly number[];
      /** Where the runner knows more than that; a sentence for people. */
      reason?: string;
      said?: OwnWord;
      /** As of one that has exited. */
      killed?: boolean;
    }
  /** Its record can't be read: as good as no answer, for this run alone. */
  | { state: 'unreadable'; problem: string }
  /** The runner answered, and knows nothing of this run; or, with a reason, nothing of it since then that would say whether it lives. */
  | { state: 'no_record'; reason?: string };
