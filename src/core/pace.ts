/** How fast GitHub lets an installation write, and how far below that we stay. */

/**
 * GitHub's words: "no more than 80 content-generating requests per minute and no more than 500 … per hour", and "wait at least one
 * second between each" write (docs.github.com, "Best practices for using the REST API" and "Rate limits for the REST API").
 */
export interface WritePace {
  /** Between two writes. */
  gapMs: number;
  perMinute: number;
  perHour: number;
}

export const WRITE_PACE: WritePace = Object.freeze({ gapMs: 1_000, perMinute: 75, perHour: 480 });

/**
 * What may wait takes no more than half of what the hour allows, so that the rest is left for what may not: a thousand statuses of a
 * batch that has begun, before the words about its stop. The minute is no matter: the gap keeps below it.
 */
export function halfOf(pace: WritePace): WritePace {
  return { ...pace, perHour: Math.ceil(pace.perHour / 2) };
}

/** Writes that are older count no more. */
export const PACE_WINDOW_MS = 3_600_000;

const MINUTE_MS = 60_000;

/** Whose limits a write counts for: those of the installation, or of the token. */
export function writeScope({ installationId }: { installationId: number | null }): string {
  return installationId === null ? 'token' : `installation:${installationId}`;
}

/** When the next write may go out, now at the earliest. `sent`: when the others did, the oldest first. */
export function nextWriteAt(sent: readonly Date[], pace: WritePace, now: Date): Date {
  const after = (count: number, ms: number) => (sent.at(-count)?.getTime() ?? Number.NEGATIVE_INFINITY) + ms;
  const bounds = [after(1, pace.gapMs), after(pace.perMinute, MINUTE_MS), after(pace.perHour, PACE_WINDOW_MS)];
  return new Date(Math.max(now.getTime(), ...bounds));
}
