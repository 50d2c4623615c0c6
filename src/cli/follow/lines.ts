/** Events of a batch as lines for people: one for each change, and none for what only details another event. */
import { duration, line } from '../../core/report/text.ts';
import type { BatchView, EventView } from '../views.ts';
import { byWhom } from '../why.ts';

export interface ChangeLines {
  /** Its runs are what later events refer to. */
  know(batch: BatchView): void;
  /** null: it changes nothing that is shown. */
  lineOf(event: EventView): string | null;
}

interface KnownRun {
  number: number | null;
  isVerify: boolean;
  startedAt: string | null;
  end: string | null;
}

interface Told {
  event: EventView;
  run: KnownRun | null;
}

type Words = (told: Told) => string | null;

export function makeChangeLines(): ChangeLines {
  const runs = new Map<string, KnownRun>();
  return {
    know(batch) {
      for (const run of batch.tasks.flatMap((task) => task.runs)) {
        const isVerify = run.purpose === 'verify';
        runs.set(run.id, { end: null, ...runs.get(run.id), number: run.number, isVerify, startedAt: run.started_at });
      }
    },
    lineOf(event) {
      const run = event.run_id === null ? null : learn(runs, event.run_id, event);
      const words = WORDS[event.type]?.({ event, run }) ?? null;
      if (words === null) return null;
      const subject = event.type.startsWith('BATCH_') ? `batch ${string(event, 'name')}` : string(event, 'key');
      return `${clockTime(event.at)} ${line(`${subject}: ${words}`)}`;
    },
  };
}

function learn(runs: Map<string, KnownRun>, id: string, event: EventView): KnownRun {
  const known = runs.get(id) ?? { number: null, isVerify: false, startedAt: null, end: null };
  const { number } = event.data;
  if (event.data.purpose === 'verify') known.isVerify = true;
  if (typeof number === 'number') known.number = number;
  if (event.type === 'RUN_STARTED') known.startedAt ??= event.at;
  if (event.type === 'RUN_ENDED') known.end = endOf(event);
  runs.set(id, known);
  return known;
}

/** The task's own event follows, with what that means for it; that all went well needs no number. */
function endOf(event: EventView): string | null {
  const code = event.data.exit_code;
  if (typeof code === 'number') return code === 0 ? null : `exit code ${code}`;
  const signal = string(event, 'signal');
  return signal === '' ? string(event, 'reason') || null : `signal ${signal}`;
}

const ended: Words = ({ event, run }) => {
  const took =
    run === null || run.startedAt === null ? '' : `after ${duration(Date.parse(event.at) - Date.parse(run.startedAt))}`;
  return `${move(event)}${inBrackets(runName(run), run?.end, cause(event), took)}`;
};

const WORDS: Readonly<Record<string, Words>> = {
  TASK_READY: () => 'waiting → ready',
  TASK_WAITING: ({ event }) => `${string(event, 'from')} → waiting`,
  RUN_STARTING: ({ run }) => `${run?.isVerify ? 'verifying' : 'ready → running'}${inBrackets(runName(run))}`,
  RUN_STOPPING: ({ event, run }) => `stopping${inBrackets(runName(run), cause(event))}`,
  RUN_SURVIVED: ({ event, run }) =>
    `running → blocked${inBrackets(runName(run), `alive after KILL: ${strings(event, 'pids')}`)}`,
  TASK_DONE: ended,
  TASK_FAILED: ended,
  TASK_CANCELLED: ended,
  TASK_SKIPPED: ended,
  TASK_RETRY_SCHEDULED: ({ event, run }) => {
    const at = string(event, 'not_before');
    if (at === '') return `to be verified${inBrackets(runName(run))}`;
    return `to be tried again${inBrackets(runName(run), run?.end, `not before ${clockTime(at)}`)}`;
  },
  TASK_REQUEUED: ({ event }) => `${move(event)}${inBrackets(byWhom(string(event, 'reason'), actor(event)))}`,
  TASK_REQUEUE_REFUSED: ({ event }) => `not queued again${inBrackets(string(event, 'why'))}`,
  TASK_RESUME_REFUSED: ({ event }) => `not queued again${inBrackets(string(event, 'why'))}`,
  TASK_START_DELAYED: ({ event }) => `start delayed${inBrackets(string(event, 'reason'))}`,
  TASK_BLOCKED: ({ event, run }) =>
    event.data.unverified === true || event.data.evidence !== undefined
      ? `${string(event, 'from')} → blocked${inBrackets(runName(run), run?.end, string(event, 'evidence') || 'no verdict')}`
      : blockedWords(event),
  TASK_UNBLOCKED: ({ event }) => `${byWhom('answered', actor(event))}${inBrackets(string(event, 'answer'))}`,
  TASK_HELD: ({ event }) => `${byWhom('on hold', actor(event))}${inBrackets(string(event, 'reason'))}`,
  TASK_RELEASED: ({ event }) => byWhom('released', actor(event)),
  TASK_LINKED: ({ event }) => (event.data.to === null ? 'tied to no issue' : `tied to #${event.data.to}`),
  BATCH_STATE_CHANGED: ({ event }) => batchMove(event),
  BATCH_HELD: ({ event }) => `${byWhom('on hold', actor(event))}${inBrackets(string(event, 'reason'))}`,
  BATCH_RELEASED: ({ event }) => byWhom('released', actor(event)),
  BATCH_CANCEL_REQUESTED: ({ event }) =>
    `${byWhom('to be cancelled', actor(event))}, ${event.data.now === true ? 'with what runs' : 'what runs finishes'}`,
  BATCH_RESUME_REQUESTED: ({ event }) => byWhom('to be resumed', actor(event)),
};

function blockedWords(event: EventView): string {
  return event.data.blocked_by === undefined
    ? `waits for an answer: ${strings(event, 'questions')}`
    : `${string(event, 'from')} → blocked (by ${strings(event, 'blocked_by')})`;
}

function batchMove(event: EventView): string {
  const [from, to] = [string(event, 'from'), string(event, 'to')];
  if (from !== to) return `${from} → ${to}`;
  return event.data.stuck === true ? 'stuck' : 'goes on';
}

function move(event: EventView): string {
  return `${string(event, 'from')} → ${string(event, 'to')}`;
}

function cause(event: EventView): string {
  return byWhom(string(event, 'cause'), actor(event));
}

function actor({ data }: EventView): string | null {
  return typeof data.actor === 'string' ? data.actor : null;
}

function runName(run: KnownRun | null): string | null {
  if (run === null || run.number === null) return null;
  return `${run.isVerify ? 'verify run' : 'run'} ${run.number}`;
}

function string({ data }: EventView, name: string): string {
  const value = data[name];
  return typeof value === 'string' ? value : '';
}

function strings({ data }: EventView, name: string): string {
  const value = data[name];
  return Array.isArray(value) ? value.join(', ') : '';
}

function inBrackets(...parts: readonly (string | null | undefined)[]): string {
  const some = parts.filter((part) => part);
  return some.length === 0 ? '' : ` (${some.join(', ')})`;
}

/** As the clock on the wall here shows it. */
function clockTime(at: string): string {
  return new Date(at).toTimeString().slice(0, 8);
}
