/** What a plan can ask for. A step either changes rows (in one transaction of its own) or has one effect on a runner. */
import type { FailureClass } from '../failure.ts';
import type { TrackedIssue } from '../issue.ts';
import type { Containment } from '../run.ts';
import type { Cause, Ending, Hold, Requeue, Target, Task, UndecidedCause } from '../task.ts';

/** How a run ended, as its runner told. */
export interface RunResult {
  state: 'succeeded' | 'failed' | 'cancelled' | 'lost';
  cause: Cause;
  reason: string | null;
  failureClass: FailureClass | null;
  exitCode: number | null;
  signal: string | null;
  startedAt: Date | null;
  endedAt: Date | null;
  /** Of one that was told to end: whether KILL was sent. Not there: as was ordered. */
  killed?: boolean;
}

/** What the task becomes with that result. */
export type Settlement =
  | { becomes: 'ended'; ending: Ending; effect: string | null; hadFinished: boolean }
  | { becomes: 'requeued'; requeue: Requeue; effect: string | null }
  /** Queued again within its generation, at the stage that its runs call for. `notBeforeTold`: it is no time of the clock here. */
  | { becomes: 'retried'; notBefore: Date | null; notBeforeTold?: boolean; reason: string | null }
  /** It never began, and nobody is to blame: queued again, as it was before it. */
  | { becomes: 'given_back' }
  /** Its verify run begins in the place of its work run. */
  | { becomes: 'verifying' }
  /** Nobody could tell whether the work is right: a person has to. `why`: what speaks for it. */
  | { becomes: 'undecided'; cause: UndecidedCause; why: string | null; effect: string | null };

/** Why a reopen starts nothing. `not_readable`: GitHub did not tell what its actor may do. `unseen`: the last run may yet live. */
export type Refusal = 'not_permitted' | 'not_readable' | 'too_late' | 'unseen' | 'superseded' | 'batch_cancelled';

export type Step =
  /** A task without a living run ends. */
  | { step: 'end'; ending: Ending; effect: string | null }
  /** A cancel is recorded, before any signal. */
  | { step: 'stop'; target: Target }
  /** The run is stopping already, and what the task becomes changes. */
  | { step: 'retarget'; target: Target }
  /** An ended task opens a new generation. */
  | { step: 'requeue'; requeue: Requeue; effect: string | null }
  /** A reopen that may not start work: the comment says who could. */
  | { step: 'refuse'; episodeId: string; effect: string; why: Refusal }
  /** `let_finish` and `ignore`: this close leaves the task alone. */
  | { step: 'exempt'; episodeId: string | null }
  | { step: 'mark_started'; startedAt: Date; containment: Containment }
  /** Seen gone, but what the task becomes still waits for the closer's permission. */
  | { step: 'mark_gone'; result: RunResult }
  | { step: 'mark_survivors'; pids: readonly number[] }
  /** The run was seen gone, or is lost: its end and the task's next state. */
  | { step: 'settle'; result: RunResult; settlement: Settlement; goneAt: Date | null }
  /** Start the run on its runner. */
  | { step: 'start' }
  /** Record the time, then signal. `void` claims an unclaimed start for nobody. */
  | { step: 'signal'; mode: 'void' | 'term' | 'kill' }
  /** The issue's live state has to be read before a start. */
  | { step: 'refresh_issue' }
  /** What a lost run may have left is to be looked for, and the plan made again with that. */
  | { step: 'seek_evidence' }
  /** GitHub gave no answer: it is asked again then, and the run counts as it is until it has answered. null: not any more. */
  | { step: 'await_evidence'; wait: { until: Date; reason: string } | null }
  /** Nothing starts while it is set; null takes it away. */
  | { step: 'hold'; hold: Hold | null; actor: string }
  /** The open questions from now on; the task is `blocked` while it has some and no run. */
  | { step: 'set_blockers'; blockers: Task['blockers']; answer?: { text: string | null; actor: string } }
  /** Issues that its own is blocked by keep it from starting. */
  | { step: 'block'; by: readonly string[] }
  /** A person says not to wait for these issues any more. */
  | { step: 'release_blockers'; released: Task['released']; actor: string }
  /** Another issue of the same repository, or none. Forgets the episode that ended it. */
  | { step: 'link'; issueNumber: number | null; actor: string }
  /** A person says so: what survived the KILL is no reason to wait any longer. */
  | { step: 'disregard_survivors'; ending: Ending }
  /** Look again then, whatever else happens. */
  | { step: 'recheck'; at: Date };

export function closeEffect(episodeId: string): string {
  return `close:${episodeId}`;
}

export function reopenEffect(episodeId: string): string {
  return `reopen:${episodeId}`;
}

/** Names who gave it: what became of the task may be by somebody else's doing. */
export function commandEffect(id: string, actor: string): string {
  return `command:${id}:${actor}`;
}

export function failureEffect(taskId: string, generation: number): string {
  return `failure:${taskId}:${generation}`;
}

export function unverifiedEffect(taskId: string, generation: number): string {
  return `unverified:${taskId}:${generation}`;
}

export function reviewEffect(taskId: string, generation: number): string {
  return `review:${taskId}:${generation}`;
}

export function successEffect(taskId: string, generation: number): string {
  return `success:${taskId}:${generation}`;
}

/** null: what is told of a deleted issue has no place to be told at. */
export function absenceEffect({ presence, repositoryId, number }: TrackedIssue): string | null {
  return presence === 'transferred' ? `transfer:${repositoryId}#${number}` : null;
}

/** Whether it is an end that nobody asked for. */
export function isOfFailure(effect: string | null): boolean {
  return effect?.startsWith('failure:') ?? false;
}

export function isOfSuccess(effect: string | null): boolean {
  return effect?.startsWith('success:') ?? false;
}
