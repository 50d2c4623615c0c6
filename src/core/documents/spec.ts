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
  /** Runs in all within a generation, the first included. */
  retry: { attempts: number; backoffSeconds: number };
  /** Below the runner's root; null: the task's own directory, kept across runs. */
  workingDirectory: string | null;
}
