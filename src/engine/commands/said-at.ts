/** When a comment was made, by our clock: what it means is held against times of ours. */
import type { CommandComment } from '../../core/comment.ts';
import type { Deps } from '../deps.ts';
import { byOurClock } from '../github-clock.ts';

/** Told within this time, it was told at once: then nothing that its author saw may seem newer. */
const AT_ONCE_MS = 5_000;
/** So far a time of GitHub's may be off. */
const DOUBT_MS = 1_000;

/**
 * GitHub tells no more than the second. In doubt, what was there when a comment was told of at once was there when it was made;
 * of one that was told of late, only what was there by its own time: older never beats newer.
 */
export function saidAtOf(deps: Pick<Deps, 'github'>, { createdAt, learnedAt }: CommandComment): Date {
  const said = byOurClock(deps, createdAt).getTime();
  if (learnedAt.getTime() - said > AT_ONCE_MS) return new Date(said);
  return new Date(Math.min(said + DOUBT_MS, learnedAt.getTime()));
}
