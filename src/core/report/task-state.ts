/** How a task is, in words for a table that stays the same while nothing changes: times of day, never ages. Pure. */
import { ATTENDED, attendCommand } from '../attended.ts';
import { isLive, type Run } from '../run.ts';
import { type Cause, isEnded, type Task, type TaskState } from '../task.ts';
import { cell, code, person } from './neutral.ts';
import { duration, utc } from './text.ts';

/** Signs that a browser doesn't draw as pictures of its own. */
const SIGNS: Readonly<Record<TaskState, string>> = {
  waiting: '◌ waiting',
  ready: '○ ready',
  running: '● running',
  blocked: '■ blocked',
  done: '✓ done',
  failed: '✗ failed',
  cancelled: '− cancelled',
  skipped: '» skipped',
};

type ByActor = (actor: string) => string;

const CAUSES: Readonly<Record<Cause, ByActor>> = {
  run_succeeded: () => 'its run succeeded',
  run_failed: () => 'its run failed',
  verify_failed: () => 'its verify run found it wrong',
  no_verdict: () => 'its verify run gave no verdict; release runs it again, done counts it as done',
  review: () => 'its run was lost, and its work may be there; release runs it again, done counts it as done',
  issue_completed: (actor) => `issue closed as completed by ${actor}`,
  issue_not_planned: (actor) => `issue closed as not planned by ${actor}`,
  issue_duplicate: (actor) => `issue closed as a duplicate by ${actor}`,
  issue_closed: (actor) => `issue closed by ${actor}`,
  issue_deleted: () => 'issue deleted',
  issue_transferred: () => 'issue transferred',
  command: (actor) => `${actor} said so`,
  api: (actor) => `${actor} said so`,
  dependency: () => 'a task that it needs can not be had',
  timeout: () => 'its time was over',
  stalled: () => 'it said nothing for too long',
  runner_lost: () => 'its run was lost',
  start_failed: () => 'its run could not start',
  survivors: () => 'something of its run is still alive',
  question: () => 'waits for an answer',
  blocker: () => 'other issues block it',
  superseded: () => 'a newer batch took its place',
  app_uninstalled: () => 'the app was uninstalled',
};

export function stateWords({ state }: Pick<Task, 'state'>, run: Run | null): string {
  if (state === 'running' && run?.state === 'stopping') return '● stopping';
  if (state === 'running' && run?.state === 'starting') return '● starting';
  if (state === 'running' && run?.purpose === 'verify') return '● verifying';
  return SIGNS[state];
}

/** Why it is as it is, and by whom; empty where there is nothing to explain. */
export function whyWords(task: Task): string {
  const { state, cause, actor } = task;
  if (isEnded(state)) return cause === null ? '' : CAUSES[cause](person(actor));
  const held = task.hold === null ? [] : [heldWords(task.hold)];
  return [...held, ...openWords(task)].join('; ');
}

/** Of a run that its runner may still have; it is left alone. */
export function silenceWords(run: Run | null, silentSince: ReadonlyMap<string, Date> = new Map()): string {
  const since = isLive(run) ? silentSince.get(run.runner) : undefined;
  return since === undefined ? '' : `no answer of its runner since ${utc(since)}: somebody has to look there`;
}

function openWords(task: Task): readonly string[] {
  const [question] = task.blockers;
  if (task.target !== null)
    return [`being stopped: ${CAUSES[task.target.ending.cause](person(task.target.ending.actor))}`];
  if (question !== undefined) return [`${person(question.actor)} asks: ${cell(question.question, 120)}`];
  if (task.state === 'blocked') {
    const evidence = task.cause === 'review' && task.notBeforeReason !== null ? [cell(task.notBeforeReason, 200)] : [];
    return task.cause === null ? [] : [...evidence, CAUSES[task.cause](person(task.actor))];
  }
  if (task.state === 'waiting') return task.needs.length === 0 ? [] : [`needs ${few(task.needs)}`];
  // Its run is lost, and GitHub does not tell what it left.
  if (task.state === 'running' && task.notBeforeReason !== null) return [cell(task.notBeforeReason, 200)];
  if (task.state !== 'ready') return [];
  if (task.notBefore === null) return task.spec.runsOn === ATTENDED ? [attendWords(task)] : [];
  const why = task.notBeforeReason === null ? '' : `${cell(task.notBeforeReason, 120)}; `;
  return [`${why}not before ${utc(task.notBefore)}`];
}

function attendWords({ id }: Task): string {
  return `somebody has to run it: ${code(attendCommand(id))}`;
}

function heldWords({ actor, reason }: NonNullable<Task['hold']>): string {
  return `on hold by ${person(actor)}${reason === null ? '' : `: ${cell(reason, 120)}`}`;
}

function few(keys: readonly string[]): string {
  const more = keys.length - 3;
  return `${keys
    .slice(0, 3)
    .map((key) => cell(key))
    .join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** For how long its run went, or since when it goes. */
export function timeWords(run: Run | null): string {
  if (run === null) return '';
  const { startedAt, createdAt } = run;
  const end = run.endedAt ?? run.goneAt;
  if (isLive(run)) return `since ${utc(startedAt ?? createdAt)}`;
  return startedAt === null || end === null ? '' : duration(end.getTime() - startedAt.getTime());
}

export function attemptWords({ attempt, spec, runNumber }: Task): string {
  if (runNumber === 0) return '';
  return attempt === 0 ? `${runNumber} before` : `${attempt} of ${Math.max(attempt, spec.retry.attempts)}`;
}
