/**
 * Why a task is not running, in one line: the first thing that somebody would have to change, or that time will. Pure; the
 * facts are gathered in engine/why.
 */
import { ATTENDED, attendCommand } from '../attended.ts';
import type { Batch } from '../batch.ts';
import { type BlockerView, blocking } from '../blockers/blocker.ts';
import type { ScopedHold } from '../hold.ts';
import { satisfies } from '../plan/batch.ts';
import { type Hold, isEnded, isUndecided, type Task } from '../task.ts';
import { blockerWords } from './blockers.ts';
import { age, duration, line } from './text.ts';

export interface WaitingFacts {
  task: Task;
  now: Date;
  /** `owner/name` of its repository. */
  repository: string;
  /** Why nothing starts in its repository; null: it can be reached. */
  outOfReach: { access: 'suspended' | 'archived' | 'gone'; since: Date } | null;
  batch: Batch | null;
  /** Those that cover the task. */
  holds: readonly ScopedHold[];
  /** Its own issue as it was last seen; null: it has none, or it was not looked at. */
  issue: { number: number; state: 'open' | 'closed'; observedAt: Date; readDue: boolean } | null;
  /** What its issue is blocked by, each as it was last seen; null: it was not looked at. */
  blockers: readonly SeenBlocker[] | null;
  /** Of its newest run. */
  survivors: { run: number; pids: readonly number[] } | null;
  needs: readonly Pick<Task, 'key' | 'state' | 'cause'>[];
  /** A failed task of its batch, where that forbids every further start. */
  failed: string | null;
  /** null: its runner is one of these. */
  otherRunners: readonly string[] | null;
  limits: readonly Limit[];
}

export interface SeenBlocker extends BlockerView {
  /** When the blocking issue was last seen; null: never. */
  observedAt: Date | null;
}

/** `name` says what holds so many at once, e.g. `runner local`. */
export interface Limit {
  name: string;
  used: number;
  max: number;
}

const MAX_NAMED = 5;

/** In the order in which they count. */
const REASONS = [
  reachWords,
  heldWords,
  cancelWords,
  questionWords,
  blockedWords,
  survivorWords,
  verdictWords,
  needsWords,
  failureWords,
  runnerWords,
  issueWords,
  notBeforeWords,
  limitWords,
  attendedWords,
];

/** null: it runs, or has ended. */
export function waitingOn(facts: WaitingFacts): string | null {
  const { state } = facts.task;
  if (state === 'running' || isEnded(state)) return null;
  for (const reason of REASONS) {
    const words = reason(facts);
    if (words !== null) return words;
  }
  return state === 'ready' ? 'next in line' : 'nothing any more: it is about to be queued';
}

/**
 * Of a task whose run is lost: where GitHub does not tell what it left. Nobody saw that run end, so it keeps its places, however long
 * GitHub is silent: a person can end that.
 */
export function evidenceWords({ state, notBeforeReason }: Task): string | null {
  if (state !== 'running' || notBeforeReason === null) return null;
  return `${line(notBeforeReason)}; its run keeps its places until then: done counts it as done, cancel ends it`;
}

/** Of a task that runs: where nothing is heard of its runner for so long, nobody but a person can find out more. */
export function silenceWords(runner: string, silent: { since: Date; reason: string }, now: Date): string {
  const { since, reason } = silent;
  return `runner ${runner} gives no answer for ${age(since, now)}, and its run is left alone: see to that machine (${line(reason)})`;
}

function heldWords({ task, batch, holds, repository, now }: WaitingFacts): string | null {
  if (task.hold !== null) return `on hold ${holdWords(task.hold, now)}`;
  if (batch !== null && batch.hold !== null) return `batch ${batch.name} is on hold ${holdWords(batch.hold, now)}`;
  const order = ['runner', 'repository', 'all'];
  const [hold] = holds.toSorted((a, b) => order.indexOf(a.scope.kind) - order.indexOf(b.scope.kind));
  if (hold === undefined) return null;
  const names = { runner: `runner ${task.spec.runsOn}`, repository, all: 'everything' };
  return `${names[hold.scope.kind]} is on hold ${holdWords(hold, now)}`;
}

/** What runs goes on, but for a repository that the App was taken from. */
function reachWords({ outOfReach, repository, now }: WaitingFacts): string | null {
  if (outOfReach === null) return null;
  const words = {
    suspended: `the App is suspended on ${repository}`,
    archived: `${repository} is archived`,
    gone: `the App was taken from ${repository}, and what is left ends soon`,
  };
  return `${words[outOfReach.access]}, as seen ${age(outOfReach.since, now)} ago`;
}

function holdWords({ reason, actor, at }: Hold, now: Date): string {
  return `by ${actor} for ${age(at, now)}${reason === null ? '' : `: ${line(reason)}`}`;
}

function cancelWords({ batch, now }: WaitingFacts): string | null {
  if (batch?.order?.kind !== 'cancel') return null;
  const { actor, at } = batch.order;
  return `batch ${batch.name} is being cancelled by ${actor} for ${age(at, now)}`;
}

function questionWords({ task, now }: WaitingFacts): string | null {
  const [first, ...more] = task.blockers;
  if (first === undefined) return null;
  const others = more.length === 0 ? '' : ` (and ${counted(more.length, 'more question')})`;
  return `waits for an answer for ${age(first.at, now)}: ${line(first.question)}${others}`;
}

function blockedWords({ task, blockers, now }: WaitingFacts): string | null {
  if (blockers === null) return task.cause === 'blocker' ? 'blocked by other issues' : null;
  const views = blocking(task, blockers) as readonly SeenBlocker[];
  if (views.length === 0) return null;
  const named = views.map((view) => {
    const seen = view.observedAt === null ? '' : `; seen ${age(view.observedAt, now)} ago`;
    return `${view.label} (${blockerWords(view)}${seen})`;
  });
  return `blocked by ${atMost(named)}`;
}

function survivorWords({ task, survivors }: WaitingFacts): string | null {
  if (task.cause !== 'survivors') return null;
  if (survivors === null || survivors.pids.length === 0) return 'waits until its last run is seen gone';
  const { run, pids } = survivors;
  const processes = pids.length === 1 ? 'process' : 'processes';
  return `${processes} ${atMost(pids.map(String))} of its run ${run} survived: end them there, or release the task`;
}

function verdictWords({ task }: WaitingFacts): string | null {
  if (!isUndecided(task)) return null;
  const what =
    task.cause === 'review'
      ? `its run was lost, and ${line(task.notBeforeReason ?? 'its work may be there')}`
      : 'its verify run gave no verdict';
  return `${what}: release runs the task again, done counts it as done`;
}

function needsWords({ needs }: WaitingFacts): string | null {
  const open = needs.filter((need) => !satisfies(need));
  if (open.length === 0) return null;
  return `needs ${atMost(open.map(({ key, state }) => `${key} (${state})`))}`;
}

function failureWords({ batch, failed }: WaitingFacts): string | null {
  if (batch === null || failed === null) return null;
  return `${failed} has failed, and nothing more of batch ${batch.name} starts then (on_failure: stop)`;
}

function runnerWords({ task, otherRunners }: WaitingFacts): string | null {
  if (otherRunners === null) return null;
  return `no runner is called ${task.spec.runsOn} here; there is: ${otherRunners.join(', ') || 'none'}`;
}

function issueWords({ issue, now }: WaitingFacts): string | null {
  if (issue?.state !== 'closed') return null;
  return `#${issue.number} is closed, as seen ${age(issue.observedAt, now)} ago`;
}

function notBeforeWords({ task: { notBefore, notBeforeReason, spec }, now }: WaitingFacts): string | null {
  if (notBefore === null || notBefore <= now) return null;
  const why = notBeforeReason === null ? 'not before its time' : line(notBeforeReason);
  const next = spec.runsOn === ATTENDED ? 'somebody can run it' : 'next try';
  return `${why}; ${next} in ${duration(notBefore.getTime() - now.getTime())}`;
}

function limitWords({ limits }: WaitingFacts): string | null {
  const full = limits.find(({ used, max }) => used >= max);
  return full === undefined ? null : `${full.name} runs ${full.used} of ${full.max} at most`;
}

function attendedWords({ task: { id, state, spec } }: WaitingFacts): string | null {
  if (state !== 'ready' || spec.runsOn !== ATTENDED) return null;
  return `somebody has to run it: ${attendCommand(id)}`;
}

function atMost(items: readonly string[]): string {
  const more = items.length - MAX_NAMED;
  return `${items.slice(0, MAX_NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
