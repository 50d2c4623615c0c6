/** Everything that a plan for one task may look at: a snapshot, made by engine/observe. */
import type { BlockerView } from '../blockers/blocker.ts';
import type { Evidence } from '../evidence.ts';
import type { RunTally } from '../failure.ts';
import type { CloseEpisode, TrackedIssue } from '../issue.ts';
import type { Probe, Run } from '../run.ts';
import type { Task } from '../task.ts';

export interface TaskObservation {
  task: Task;
  /** Its newest run. */
  run: Run | null;
  /** What the runner said of it; null where it wasn't asked or gave no answer. */
  probe: Probe | null;
  /** null: the task is linked to no issue. */
  issue: TrackedIssue | null;
  /** The newest close of that issue. */
  episode: CloseEpisode | null;
  /** The close that the task's target or end came from; often the newest, not always. */
  endingEpisode: CloseEpisode | null;
  /** Between TERM and KILL, from the task or its runner. */
  graceSeconds: number;
  /** What the task's issue is blocked by. */
  blockers: readonly BlockerView[];
  /** Why nothing of its batch is requeued or retried by itself any more: another batch has its name, or a person cancelled it. */
  barred: 'superseded' | 'batch_cancelled' | null;
  /** Reopens of this issue, before the newest, that requeued tasks within the last hour. */
  requeuesWithinHour: number;
  /** What its runs have spent of their budgets; nothing where that decides nothing. */
  tally: RunTally;
  /** A hold that is not the task's own, or an issue that blocks it, keeps its verify run from beginning now. */
  isHeldBack: boolean;
  /** What a lost run has left; null: it was not looked for. */
  evidence: Evidence | null;
  /** The App was taken from the repository for longer than the grace, and GitHub said so again when it was over. */
  isUninstalled: boolean;
}
