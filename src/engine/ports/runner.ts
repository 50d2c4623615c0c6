/**
 * Job control: the port that every runner implements. An adapter starts, inspects, cancels and reads logs; it owns no state
 * machine and no timer that matters: grace, timeouts and retries are the engine's.
 */
import type { Containment, Probe } from '../../core/run.ts';

/** Everything that a runner needs to start one run. `runId` makes it idempotent: the same order twice starts once. */
export interface StartOrder {
  runId: string;
  taskId: string;
  argv: readonly string[];
  /** What the task names and `STANDDOWN_*`; the adapter adds `PATH`, `HOME` and locale, and what `envFrom` may pass. */
  env: Readonly<Record<string, string>>;
  envFrom: readonly string[];
  /** Below the runner's root; null: the task's own directory. */
  workingDirectory: string | null;
}

/**
 * - `started`: claimed, now or by an earlier call; `inspect` tells the rest.
 * - `voided`: a cancel came first; nothing was started and nothing will be.
 * - `refused`: it can't start here for a reason that will not change by itself (no such program, directory outside root …).
 */
export type StartResult = { result: 'started' } | { result: 'voided' } | { result: 'refused'; reason: string };

/** No answer, or half of one. Never to be read as "no such run". */
export class RunnerUnreachable extends Error {
  override readonly name = 'RunnerUnreachable';
}

export interface RunnerProfile {
  kind: string;
  /** The level that new runs get. */
  containment: Containment;
  graceSeconds: number;
  /** null: no limit of its own. */
  maxRunning: number | null;
  /** Names of variables that an order's `envFrom` may have. */
  passEnv: readonly string[];
  /** Facts for `/readyz` and `doctor`, e.g. why a stronger level is not available. */
  notes: readonly string[];
  /** Since when it gives no answer, and why; absent: it answers, or lives in this process. */
  silent?: { since: Date; reason: string } | null;
  /** Whether it has answered since this app started; absent: it lives in this process. */
  heard?: boolean;
}

export interface JobControl {
  /** As far as is known now: of a runner elsewhere, what it last said. */
  readonly profile: RunnerProfile;
  /** Throws `RunnerUnreachable` where it can't be told whether it started. */
  start(order: StartOrder): Promise<StartResult>;
  /** In bulk; every id asked for is in the answer. */
  inspect(runIds: readonly string[]): Promise<Map<string, Probe>>;
  /**
   * `void`: claims the start for nobody, so that it can never begin; `already_ended` if it was claimed by a supervisor.
   * `term`: TERM to the whole tree. `kill`: KILL to the whole tree, looking again until it is empty or about 2 s are over.
   * Never a claim that it stopped: only `inspect` tells that.
   */
  cancel(runId: string, mode: 'void' | 'term' | 'kill'): Promise<'accepted' | 'already_ended' | 'no_record'>;
  /** Ids of all runs that it has a record of. */
  list(): Promise<readonly string[]>;
  /** The last `bytes` of the run's output, where values of what `passEnv` names are not shown. */
  log(runId: string, bytes: number): Promise<string>;
  /**
   * Forgets an ended run: its record, log and own directory go; the task's directory stays. False, and without effect, on one that is
   * unknown, or of which anything may be alive.
   */
  forget?(runId: string): Promise<boolean>;
  /** Tasks that have a directory of their own there, kept for their next run. */
  workspaces?(): Promise<readonly string[]>;
  /**
   * Removes the task's own directory, of which no run may need anything any more: in the background, so it is among `workspaces` until all
   * of it is gone, and to be asked for again as long. Links are not followed, and nothing but that directory is removed. False, and
   * without effect, where there is none, or where it is in use after all.
   */
  removeWorkspace?(taskId: string): Promise<boolean>;
  /** Hints that a run may have changed; losing one costs latency only. Returns the unsubscribe function. */
  onHint(listener: (runId: string) => void): () => void;
  /** Lets go of watchers and handles; living runs go on. */
  close(): Promise<void>;
}

/** A repository reaches only the runners that the operator gave it. */
export interface Runners {
  get(name: string): JobControl | null;
  /** Those that the operator named: what tasks run on by themselves. */
  names(): readonly string[];
  allows(name: string, repositoryFullName: string): boolean;
}
