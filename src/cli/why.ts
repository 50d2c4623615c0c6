/** Why a task is where it is, in a few words. */
import { age } from '../core/report/text.ts';
import type { RunView, TaskView } from './views.ts';

/** Standdown itself: that it was nobody else goes without saying. */
const OURSELVES = ['runner', 'standdown'];

export function whyOf(task: Pick<TaskView, 'state' | 'waiting_on' | 'cause' | 'actor' | 'hold' | 'runs'>): string {
  if (task.waiting_on !== null) return task.waiting_on;
  const newest = newestRun(task.runs);
  const failure = task.state === 'failed' && newest !== null ? endOf(newest) : null;
  const held = task.hold === null ? null : `held${task.hold.reason === null ? '' : `: ${task.hold.reason}`}`;
  return [stopOf(newest), causeOf(task), failure, silenceOf(newest), held].filter((part) => part !== null).join(', ');
}

/** An actor that is named as the cause is nobody more. */
export function byWhom(what: string, actor: string | null): string {
  return actor === null || actor === what ? what : `${what} by ${actor}`;
}

export function newestRun(runs: readonly RunView[]): RunView | null {
  return runs.reduce<RunView | null>(
    (newest, run) => (newest === null || run.number > newest.number ? run : newest),
    null,
  );
}

function causeOf({ cause, actor }: Pick<TaskView, 'cause' | 'actor'>): string | null {
  if (cause === null) return null;
  return actor !== null && OURSELVES.includes(actor) ? cause : byWhom(cause, actor);
}

function endOf({ exit_code: code, signal, reason }: RunView): string | null {
  if (code !== null) return `exit code ${code}`;
  return signal === null ? reason : `signal ${signal}`;
}

function stopOf(run: RunView | null): string | null {
  if (run?.state !== 'stopping') return null;
  const since = run.cancel_requested_at === null ? '' : ` since ${run.cancel_requested_at}`;
  return `stopping${since}${run.cause === null ? '' : ` (${run.cause})`}`;
}

function silenceOf(run: RunView | null): string | null {
  return run?.silent_since ? `no answer of its runner for ${age(new Date(run.silent_since), new Date())}` : null;
}
