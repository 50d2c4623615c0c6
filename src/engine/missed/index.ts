/** Deliveries of GitHub's that did not arrive. */
export { findMissed } from './find-missed.ts';
export { type MissedState, missedState } from './state.ts';
