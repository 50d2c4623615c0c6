/** What the shapes of several answers have in common. */
import { z } from 'zod';

/** ISO 8601 in UTC. */
export const time = z.iso.datetime({ precision: 3 });

export const login = z
  .string()
  .describe(
    'A GitHub login; `api`: whoever holds the token; `standdown`: the app itself; `runner`: it told of an end; `github`: its own doing.',
  );

/** As `owner/name`; null: it was forgotten. */
export const repository = z.string().nullable();

export const hold = z.strictObject({ reason: z.string().nullable(), actor: login, at: time });

/** A list, with the cursor of its next page. */
export function pageOf<S extends z.ZodType>(item: S) {
  return z.strictObject({
    items: z.array(item),
    next: z.string().nullable().describe('null: this was the last page.'),
  });
}
