/** What the payloads of all events have in common, and how one is read: by its action first, so that what nobody needs costs nothing. */
import { z } from 'zod';
import type { Hint, RepositoryRef } from '../engine/ports.ts';
import { idSchema } from './schemas.ts';

export const placeSchema = z.object({
  id: idSchema,
  full_name: z.string().regex(/^[^/]+\/[^/]+$/, 'is no owner/name'),
});

/** What an App's own events always name. */
export const namedInstallationSchema = z.object({ id: z.number().int().positive() });
/** Webhooks of a repository, which no App made, have none. */
export const anyInstallationSchema = namedInstallationSchema.nullish();

export type Place = z.infer<typeof placeSchema>;

const actionSchema = z.object({ action: z.string().min(1) });

/** `malformed` where the payload lacks what its event promises. */
export function read<S extends z.ZodType>(schema: S, payload: unknown, hint: (told: z.infer<S>) => Hint): Hint {
  const parsed = schema.safeParse(payload);
  return parsed.success ? hint(parsed.data) : { kind: 'malformed', problem: problemOf(parsed.error) };
}

/** Any other action is ignored, whatever comes with it. */
export function onlyOf(actions: readonly string[], payload: unknown, hint: () => Hint): Hint {
  return read(actionSchema, payload, ({ action }) => (actions.includes(action) ? hint() : { kind: 'ignored' }));
}

export function refOf({ id, full_name }: Place, installation: z.infer<typeof anyInstallationSchema>): RepositoryRef {
  return { id, fullName: full_name, installationId: installation?.id ?? null };
}

/** Paths and what was expected there; never a value. */
function problemOf(error: z.ZodError): string {
  const lines = error.issues.slice(0, 3).map(({ path, message }) => `${path.join('.') || 'payload'}: ${message}`);
  return lines.join('; ').slice(0, 300);
}
