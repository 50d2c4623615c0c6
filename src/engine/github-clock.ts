/** GitHub's clock, which its own times are held against; ours may be off. */
import type { Deps } from './deps.ts';

type Clocks = Pick<Deps, 'github' | 'clock'>;

/** As far as its answers have told; before the first one, our own. */
export function githubNow({ github, clock }: Clocks): Date {
  return new Date(clock().getTime() + (github?.clockOffsetMs() ?? 0));
}

/** That instant of GitHub's clock. */
export function onOurClock({ github }: Pick<Deps, 'github'>, at: Date): Date {
  return new Date(at.getTime() - (github?.clockOffsetMs() ?? 0));
}

/** The last instant of that second of GitHub's, by our clock, to half a second: its times, and those of its answers, are whole seconds. */
export function byOurClock({ github }: Pick<Deps, 'github'>, second: Date): Date {
  return new Date(second.getTime() + 999 - (github?.clockOffsetMs() ?? 0));
}
