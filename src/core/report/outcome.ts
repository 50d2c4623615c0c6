/**
 * The outcome comment: what closes, reopens, orders and failures did, by whom, how long it took, what survived, and how to undo
 * it. Only what was seen is told; the level of containment says how far that goes.
 */
import { commandStart } from '../commands/usage.ts';
import { allowsOverlap } from '../failure.ts';
import type { CloseEpisode } from '../issue.ts';
import { isUnseen } from '../plan/orphan.ts';
import type { Policy } from '../policy.ts';
import { isLive } from '../run.ts';
import { composeBody, listing, type Part } from './body.ts';
import { type OutcomeEntry, sentence } from './effects.ts';
import { markerOf } from './markers.ts';
import { address, code, person } from './neutral.ts';
import { utc } from './text.ts';

export type { OutcomeEntry } from './effects.ts';

export interface OutcomeReport {
  id: string;
  /** `close:…`, `reopen:…`, `transfer:…`, `command:ID:ACTOR`, `failure:…`, `unverified:…`, `review:…` or `success:…`. */
  key: string;
  episode: CloseEpisode | null;
  /** Of a transfer. Default: unknown. */
  moved?: Transfer | null;
  entries: readonly OutcomeEntry[];
}

/** An issue that is in another repository now. */
export interface Transfer {
  /** `owner/name` of the repository that it left, where its tasks stay. */
  from: string;
  number: number;
  /** Its web address; null: unknown. */
  to: string | null;
}

/** More tasks than this on one issue are counted, not listed. */
const MAX_LISTED = 100;

/** So long a run is waited for to be seen gone, in ms; then it is told that it was not. */
export const LONGEST_WAIT_MS = 600_000;

export function outcomeMarker(id: string): string {
  return markerOf('outcome', id);
}

/** Whether everything is seen gone, or its survivors are to be named, or it has taken too long to say nothing. */
export function isTellable({ entries }: Pick<OutcomeReport, 'entries'>, waitedMs: number): boolean {
  if (waitedMs >= LONGEST_WAIT_MS) return true;
  return entries.every(({ effect, run }) => {
    if (effect === 'requeue_pending') return !isLive(run);
    return effect !== 'stopping' || (run?.survivors.length ?? 0) > 0;
  });
}

/** Several that waited unsent together as one comment, in their order: that of the first. */
export function renderOutcomes(reports: readonly OutcomeReport[], policy: Policy): string {
  const sections = together(reports.map((report) => sectionOf(report, policy)));
  const parts = sections.flatMap((section): Part[] => [
    ...(section === sections[0] ? [] : ['']),
    section.headline,
    '',
    entryList(section.entries),
    ...(section.advice === '' ? [] : ['', section.advice]),
  ]);
  return composeBody([outcomeMarker(reports[0]?.id ?? 'none'), ...parts]);
}

/** A list of what became of tasks. */
export function entryList(entries: readonly OutcomeEntry[]): Part {
  return listing(entries, {
    most: MAX_LISTED,
    line: (entry) => `- ${sentence(entry)}`,
    more: (left) => `- and ${left} more ${left === 1 ? 'task' : 'tasks'}`,
  });
}

interface Section {
  headline: string;
  entries: readonly OutcomeEntry[];
  advice: string;
}

function sectionOf(report: OutcomeReport, policy: Policy): Section {
  return { headline: headline(report), entries: report.entries, advice: advice(report, policy) };
}

/** A hundred failures are one list of failures. */
function together(sections: readonly Section[]): readonly Section[] {
  const all: (Section & { entries: OutcomeEntry[] })[] = [];
  for (const { headline, entries, advice } of sections) {
    const last = all.at(-1);
    if (last?.headline === headline && last.advice === advice) last.entries.push(...entries);
    else all.push({ headline, entries: [...entries], advice });
  }
  return all;
}

function headline({ key, episode, entries, moved = null }: OutcomeReport): string {
  const [kind, , actor = 'unknown'] = key.split(':');
  switch (kind) {
    case 'close': {
      const by = episode === null ? '' : ` by ${person(episode.actor)}`;
      return `**Standing down.** This issue was closed${reasonWords(episode)}${by}.`;
    }
    case 'reopen': {
      const by = person(episode?.reopen?.actor ?? null);
      const refused = entries.every((entry) => entry.effect === 'refused');
      return refused
        ? `This issue was reopened by ${by}, and nothing was queued again.`
        : `**Back in the queue.** This issue was reopened by ${by}.`;
    }
    case 'transfer':
      return `**Standing down.** ${transferWords(moved)}`;
    case 'failure':
      return '**Failed.**';
    case 'unverified':
      return '**Needs a person.** Nobody could tell whether the work is right.';
    case 'review':
      return '**Needs a person.** A run was lost, and its work may be there.';
    case 'success':
      return '**Done.**';
    default:
      return `As ${person(actor)} asked:`;
  }
}

/** As it reads wherever it stands: it is written where the issue is now. */
function transferWords(moved: Transfer | null): string {
  if (moved === null) return 'This issue was moved to another repository.';
  const { from, number, to } = moved;
  const url = address(to);
  const place = url === null ? 'another repository' : `[another repository](${url})`;
  return `The issue ${code(`${from}#${number}`)} was moved to ${place}; its tasks stay in ${code(from)}.`;
}

function reasonWords(episode: CloseEpisode | null): string {
  switch (episode?.reason) {
    case 'completed':
      return ' as completed';
    case 'not_planned':
      return ' as not planned';
    case 'duplicate':
      return ' as a duplicate';
    default:
      return '';
  }
}

function advice({ key, episode, entries, moved = null }: OutcomeReport, policy: Policy): string {
  const survivors = entries.flatMap(({ effect, run }) => (effect === 'stopping' ? (run?.survivors ?? []) : []));
  if (survivors.length > 0) {
    return `This comment is edited once they are gone. A person can end them on that machine, or say ${command('release', policy)}.`;
  }
  // What became of them is told elsewhere, and how to undo that.
  if (entries.length > 0 && entries.every(({ effect }) => effect === 'superseded')) return '';
  if (key.startsWith('close:') && entries.some(mayYetLive)) {
    const retry = `${command('retry', policy)} (needs ${policy.permissions.retry} permission)`;
    return `Nobody saw the lost run end, so no reopen runs its task again by itself: on an open issue, ${retry} does.`;
  }
  if (key.startsWith('close:') && episode !== null) {
    if (policy.onReopen === 'ignore') return 'Reopening this issue does not queue anything again.';
    const until = new Date(episode.closedAt.getTime() + policy.reopenWindowDays * 86_400_000);
    const cancelled = entries.some((entry) => entry.task.cause === 'issue_closed');
    const why = cancelled ? `${whyCancelled(episode, policy)} ` : '';
    return `${why}To undo: reopen this issue until ${utc(until)} (needs ${policy.permissions.retry} permission); what this close ended is then queued again.`;
  }
  if (key.startsWith('transfer:') && moved !== null) return adviceOnTransfer(entries, moved, policy);
  if (key.startsWith('reopen:')) {
    const refused = entries.some(({ effect, result }) => effect === 'refused' && result.startsWith('not_'));
    if (entries.some(({ effect, result }) => effect === 'refused' && result === 'unseen')) {
      return `To run it again all the same: ${command('retry', policy)} (needs ${policy.permissions.retry} permission).`;
    }
    return refused
      ? `Somebody with ${policy.permissions.retry} permission can queue it again: close and reopen the issue, or retry the task.`
      : 'To undo: close this issue.';
  }
  if (key.startsWith('failure:')) {
    return `To run again what has failed: ${command('retry', policy)} (needs ${policy.permissions.retry} permission).`;
  }
  if (key.startsWith('unverified:') || key.startsWith('review:')) {
    const { release, done } = policy.permissions;
    return `To run it again from its work: ${command('release', policy)} (needs ${release} permission). To count it as done: ${command('done', policy)} (needs ${done} permission).`;
  }
  return '';
}

/** Commands on the issue at its new place are another repository's. */
function adviceOnTransfer(entries: readonly OutcomeEntry[], { from }: Transfer, policy: Policy): string {
  const [first, ...others] = entries;
  if (first === undefined) return '';
  const link = command(`link ${first.task.id}`, policy);
  const more = others.length === 0 ? '' : ' (and likewise the others)';
  return `To run this again: on an open issue of ${code(from)} say ${link}${more}, then ${command('retry', policy)} (needs ${policy.permissions.link} and ${policy.permissions.retry} permission).`;
}

function mayYetLive({ task, run }: OutcomeEntry): boolean {
  return run !== null && isUnseen(run) && !allowsOverlap(task);
}

function command(words: string, { commandPrefix }: Policy): string {
  return code(`${commandStart('task', commandPrefix)} ${words}`);
}

function whyCancelled({ authority }: CloseEpisode, { permissions }: Policy): string {
  const rule = `a close counts as done only from somebody with ${permissions.done} permission`;
  return authority === 'unreadable'
    ? `It counts as cancelled: ${rule}, and GitHub did not tell whether this one was.`
    : `It counts as cancelled, since ${rule}.`;
}
