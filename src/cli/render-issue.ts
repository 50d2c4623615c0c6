/** What is known of an issue, and how old that is, as text for people. */
import { age } from '../core/report/text.ts';
import type { IssueStateView } from './views.ts';

export function issueWords(issue: IssueStateView): string {
  const { state, reason, locked, presence, moved_to: movedTo, data_age_seconds: seconds } = issue;
  const here = `${state}${reason === null ? '' : ` (${reason.replaceAll('_', ' ')})`}${locked ? ', locked' : ''}`;
  return `${presence === 'present' ? here : absenceWords(presence, movedTo)}, as seen ${ageOf(seconds)} ago`;
}

/** `presence`: what became of an issue that is not there. */
export function absenceWords(presence: string, movedTo: string | null | undefined): string {
  return movedTo ? `${presence} to ${movedTo}` : presence;
}

/** By the app's clock, whatever that of this machine says. */
export function ageOf(seconds: number): string {
  return age(new Date(0), new Date(seconds * 1_000));
}
