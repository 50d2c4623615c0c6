/** Holds beyond a task or a batch, as REST shows and takes them. */
import { z } from 'zod';
import { strict } from '../../core/documents/check.ts';
import { name, repository } from '../../core/documents/fields.ts';
import { hold, repository as repositoryShown } from './common.ts';
import { text } from './requests.ts';

const held = { ...hold.shape, age_seconds: z.int() };

export const scopedHold = z
  .discriminatedUnion('scope', [
    z.strictObject({ scope: z.literal('all'), ...held }),
    z.strictObject({ scope: z.literal('repository'), repository: repositoryShown, ...held }),
    z.strictObject({ scope: z.literal('runner'), runner: z.string(), ...held }),
  ])
  .describe('Nothing in its scope starts; what runs goes on.');

export const holdBody = scopes({ reason: text.optional() });
export const releaseBody = scopes({});

function scopes<S extends z.core.$ZodShape>(more: S) {
  return z.discriminatedUnion(
    'scope',
    [
      strict({ scope: z.literal('all'), ...more }),
      strict({ scope: z.literal('repository'), repository, ...more }),
      strict({ scope: z.literal('runner'), runner: name, ...more }),
    ],
    { error: 'one of all, repository, runner' },
  );
}

export type ScopedHoldView = z.output<typeof scopedHold>;
