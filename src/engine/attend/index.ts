/** Runs of people's own commands: claimed, followed and ended by the session that attends them. */
export { type Claim, type ClaimResult, type Claims, makeClaims } from './claim.ts';
export { type EndResult, endAttended } from './end.ts';
export { type AttendedNews, type FollowResult, followAttended, type Session } from './follow.ts';
