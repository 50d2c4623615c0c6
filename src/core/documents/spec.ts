/** What judges the work once it has succeeded. It runs where that ran, and is stopped as that is. */
export interface VerifySpec {
  run: readonly string[];
  /** Comes over the task's own. */
  env: Readonly<Record<string, string>>;
  /** null: the task's own. */
  timeoutMinutes: number | null;
}

/** Where the task's work shows, should nobody know any more what became of its run. */
export interface EvidenceSpec {
  /** Of the task's repository. */
  branch: string;
  /** What the branch is compared with; null: the repository's default branch. */
  base: string | null;
}

/** What a task runs and under which bounds: the resolved form of a template or of a batch document's task. */
export interface TaskSpec {
  /** The template of the repository's file that it was made from; not there where it was written out. */
  template?: string;
  runsOn: string;
  /** An argv, never a shell line. */
  run: readonly string[];
  env: Readonly<Record<string, string>>;
  /** Names of the operator's `pass_env` that the run asks for. */
  envFrom: readonly string[];
  /** null: no limit. */
  timeoutMinutes: number | null;
  /** No output for this long ends the run as stalled; 0: off. */
  stallMinutes: number;
  /** Between TERM and KILL; null: the runner's own. */
  graceSeconds: number | null;
  retry: {
    /** Runs in all within a generation, the first included; those that their environment ended don't count. */
    attempts: number;
    backoffSeconds: number;
    /** So many runs that their environment ended fail the task; default 3. */
    environmentAttempts?: number;
  };
  /** Below the runner's root; null: the task's own directory, kept across runs. */
  workingDirectory: string | null;
  /** Not there, or null: the run's own success is the task's. */
  verify?: VerifySpec | null;
  /** Not there: `never`. `allowed`: another run may begin beside one that its runner lost, and that may be alive. */
  overlap?: 'never' | 'allowed';
  /** Where a lost run's work would be found; not there, or null: nowhere. */
  evidence?: EvidenceSpec | null;
}
