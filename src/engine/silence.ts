/** How long runners give no answer. That ends no run: it is shown, and after a while asked of a person. */
import type { Deps } from './deps.ts';

export interface RunnerSilence {
  since: Date;
  reason: string;
  /** It lasts for so long that a person has to look. */
  needsPerson: boolean;
}

const DEFAULT_MINUTES = 60;

/** null: it answers, or there is no such runner here. */
export function silenceOf(
  { runners, limits, clock }: Pick<Deps, 'runners' | 'limits' | 'clock'>,
  name: string,
): RunnerSilence | null {
  const silent = runners.get(name)?.profile.silent ?? null;
  if (silent === null) return null;
  const minutes = limits.unreachableMinutes ?? DEFAULT_MINUTES;
  return { ...silent, needsPerson: clock().getTime() - silent.since.getTime() >= minutes * 60_000 };
}
