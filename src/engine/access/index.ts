/**
 * What becomes of a repository that the App is taken from, suspended on, or that is archived, renamed or moved. Events only say where to
 * look: GitHub's own answer decides, and nothing is stopped before a grace is over and a second answer says the same.
 */
export { followAccess } from './follow-access.ts';
export { isGivenUp } from './given-up.ts';
export { accessWrites } from './hear.ts';
export { isGone, isHidden, isOutOfReach, outOfReach } from './out-of-reach.ts';
