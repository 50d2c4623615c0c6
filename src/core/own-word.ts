/**
 * What a program says of its own run, in the file that `STANDDOWN_RESULT_FILE` names. Its exit code decides; but what says "done" and in
 * the same breath that it was cut short is not done, and what its runner lost, and says it was done, is for a person to look at.
 */
import { z } from 'zod';

/** What may have cut it short. A usage limit and a broken connection are its environment's doing, and only it can tell of them. */
export const OWN_REASONS = ['killed', 'usage_limit', 'transport'] as const;
export type OwnReason = (typeof OWN_REASONS)[number];

export interface OwnWord {
  /** null: it can't be understood. */
  result: 'done' | 'failed' | null;
  reason: OwnReason | null;
  /** When the usage limit ends; null: it doesn't say, or not as a time. */
  until: Date | null;
  /** What of it can't be understood; null: nothing. */
  problem: string | null;
}

const file = z.object({
  result: z.enum(['done', 'failed'], { error: 'must be "done" or "failed"' }),
  reason: z.enum(OWN_REASONS, { error: `must be one of: ${OWN_REASONS.join(', ')}` }).nullish(),
  until: z.unknown().optional(),
});
/** In UTC its year has four digits, as whoever is told of it expects. */
const time = z.iso.datetime({ offset: true }).refine((text) => {
  const year = new Date(text).getUTCFullYear();
  return year >= 0 && year <= 9999;
});

/** Other keys are the program's own. Never throws. null: it says nothing. */
export function readOwnWord(text: string): OwnWord | null {
  if (text.trim() === '') return null;
  const found = file.safeParse(parsed(text));
  if (!found.success) return notUnderstood(found.error.issues[0]);
  const { result, reason = null, until = null } = found.data;
  if (until === null) return { result, reason, until: null, problem: null };
  const at = time.safeParse(until);
  return at.success
    ? { result, reason, until: new Date(at.data), problem: null }
    : { result, reason, until: null, problem: 'until: must be a time as 2027-01-31T12:00:00Z' };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function notUnderstood(issue: z.core.$ZodIssue | undefined): OwnWord {
  const key = issue?.path[0];
  const problem = key === undefined ? 'must be a JSON object' : `${String(key)}: ${issue?.message}`;
  return { result: null, reason: null, until: null, problem };
}
