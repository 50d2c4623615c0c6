/** What one cause did to one task, in a sentence: the lines of outcome comments and of replies. Only what was seen is told. */
import type { Run } from '../run.ts';
import type { Task } from '../task.ts';
import { code } from './neutral.ts';
import { duration } from './text.ts';

export interface OutcomeEntry {
  effect: string;
  result: string;
  task: Task;
  run: Run | null;
}

const MAX_PIDS = 20;

/** What became of one task, as it was seen. */
export function sentence({ effect, result, task, run }: OutcomeEntry): string {
  const name = code(task.key);
  const its = runName(run);
  switch (effect) {
    case 'stopped':
      if (run?.state === 'lost') return `${name}: ${its} was lost${reasonWords(run)}; the task is **${result}**.`;
      return `${name}: ${its} was stopped (${stopFacts(run)}); the task is **${result}**.`;
    case 'stopping':
      if (!run?.survivors.length) return `${name}: ${its} was told to stop; ${UNSEEN}.`;
      return `${name}: ${its} was sent KILL, and ${survivorWords(run)}. It has **not** stopped.`;
    case 'ended':
      return `${name} had no run to stop; the task is **${result}**.`;
    case 'had_finished':
      return `${name}: ${its} had already finished${exitWords(run)}; the task is **${result}**.`;
    case 'requeue_pending':
      return `${name} is queued again once ${its} has stopped; ${UNSEEN}.`;
    case 'requeued':
      return requeueSentence(name, task, run);
    case 'superseded':
      return `${name}: another event took over before its run had stopped; see its own comment.`;
    case 'failed':
      return `${name}: ${its} ${failVerb(run)}${exitWords(run)}${failWords(task, run)}.`;
    case 'unverified':
      return `${name}: ${its} ${failVerb(run)}${exitWords(run)}${causeWords(run)}${reasonWords(run)}, and gave no verdict; the task is **${result}**.`;
    case 'review':
      return `${name}: ${its} was lost${reasonWords(run)}, but ${code(result)}; the task is **blocked**.`;
    case 'succeeded':
      return `${name}: ${its} succeeded${tookWords(run)}.`;
    case 'refused':
      return `${name} stays **${task.state}**: ${REFUSALS[result] ?? code(result)}.`;
    default:
      return `${name}: ${code(result)}.`;
  }
}

function runName(run: Run | null): string {
  return `${run?.purpose === 'verify' ? 'verify run' : 'run'} ${run?.number ?? '?'}`;
}

const UNSEEN = 'its runner has not said yet that nothing of it is alive';

const REFUSALS: Readonly<Record<string, string>> = {
  not_permitted: 'who reopened the issue may not start work here',
  not_readable: 'GitHub did not tell whether who reopened the issue may start work here',
  too_late: 'the issue was closed too long ago',
  unseen: 'its last run was lost, and nobody saw it end',
  superseded: 'a newer batch of that name exists',
  batch_cancelled: 'its batch is being cancelled',
};

/** `TERM, gone after 12 ms, cgroup`: the signals in the order in which they went out, and how long until it was seen gone. */
function stopFacts(run: Run | null): string {
  if (run === null) return 'no run';
  if (run.termAt === null && run.killAt === null) return 'before it had begun';
  const signals = [run.termAt && 'TERM', run.killAt && 'KILL'].filter(Boolean).join(', then ');
  const gone =
    run.goneAt && run.cancelRequestedAt
      ? `, gone after ${duration(run.goneAt.getTime() - run.cancelRequestedAt.getTime())}`
      : `, ${survivorWords(run)}`;
  return `${signals}${gone}${levelWords(run.containment)}`;
}

/** How far the stop reached: the first two leave nothing over, the third is what a search can find. */
function levelWords(level: Run['containment']): string {
  if (level === null) return '';
  return level === 'scan' ? ', scan: best effort' : `, ${level}`;
}

function survivorWords(run: Run | null): string {
  const pids = run?.survivors ?? [];
  if (pids.length === 0) return 'something of it is still alive';
  const more = pids.length > MAX_PIDS ? ` and ${pids.length - MAX_PIDS} more` : '';
  return `${pids.length === 1 ? 'process' : 'processes'} ${pids.slice(0, MAX_PIDS).join(', ')}${more} survived`;
}

function exitWords(run: Run | null): string {
  if (run?.signal) return ` by signal ${run.signal}`;
  return run?.exitCode == null ? '' : ` with exit code ${run.exitCode}`;
}

function tookWords(run: Run | null): string {
  if (!run?.startedAt || !run.endedAt) return '';
  return ` after ${duration(run.endedAt.getTime() - run.startedAt.getTime())}`;
}

function failVerb(run: Run | null): string {
  if (run?.state === 'lost') return 'was lost';
  return run?.cause === 'start_failed' ? 'could not start' : 'ended';
}

function failWords(task: Task, run: Run | null): string {
  const attempts = task.attempt > 1 ? `, after ${task.attempt} attempts` : '';
  return `${causeWords(run)}${attempts}${reasonWords(run)}`;
}

function causeWords(run: Run | null): string {
  return run?.cause === 'timeout' || run?.cause === 'stalled' ? ` (${run.cause})` : '';
}

function reasonWords(run: Run | null): string {
  return run?.reason ? ` — ${code(run.reason)}` : '';
}

function priorWords(run: Run): string {
  if (run.state === 'lost') return `Run ${run.number} was lost: nobody saw it end.`;
  return `Run ${run.number} was stopped first (${stopFacts(run)}).`;
}

function requeueSentence(name: string, task: Task, run: Run | null): string {
  // By the run before it alone: the new one, and others after it, may have begun before this is told.
  const next = `run ${(run?.number ?? 0) + 1}`;
  const before = run?.cancelRequestedAt ? ` ${priorWords(run)}` : '';
  const held = task.hold
    ? ` It is on hold (${code(task.hold.reason ?? 'no reason given')}) and needs a person's release.`
    : '';
  return `${name} is queued again as ${next}.${before}${held}`;
}
