/** What a level of containment has to do. A level knows its run's processes and signals them; it decides nothing. */
import type { Containment } from '../../../core/run.ts';
import type { Identity, Snapshot } from '../proc.ts';

export type { Containment } from '../../../core/run.ts';

/** The best first. */
export const CONTAINMENTS = ['cgroup', 'pidns', 'scan'] as const satisfies readonly Containment[];

/** A run that its supervisor has claimed, as its records tell. */
export interface ClaimedRun {
  runId: string;
  /** Its directory of records. */
  dir: string;
  /** The id of the boot that is running now. */
  boot: string;
  supervisor: Identity;
  /** Its own first process; null: none that could be alive. */
  work: Identity | null;
  cgroup: string | null;
}

export interface Level {
  /** Live pids of the run. `snapshot` is taken when it is first asked for. */
  members(run: ClaimedRun, snapshot: () => Snapshot): number[];
  /** TERM to the whole tree; false: there is none. The path to the first signal is short and synchronous. */
  term(run: ClaimedRun): boolean;
  /** One round of KILL to the whole tree. */
  kill(run: ClaimedRun): void;
}
