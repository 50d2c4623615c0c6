/** What it means that a repository can't be reached. Pure. */

/** How long what runs for a repository that the App was taken from goes on: who took it away by mistake may bring it back. */
export const GONE_GRACE_MS = 600_000;

/** When what runs is stopped. */
export function stopsAt(goneSince: Date, graceMs: number): Date {
  return new Date(goneSince.getTime() + graceMs);
}
