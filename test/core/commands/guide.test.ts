/** The guide to commands lists what can be said, and what each verb needs by default. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { type CommandWord, usageOf, VERBS_OF } from '../../../src/core/commands/usage.ts';
import { DEFAULT_POLICY, type Permitted } from '../../../src/core/policy.ts';

const guide = readFileSync(new URL('../../../docs/commands.md', import.meta.url), 'utf8');
const rows = [...guide.matchAll(/^\| `(\/(?:task|batch) [^`]+)` \| (\w+) \|/gm)].map(([, line, needs]) => [
  line,
  needs,
]);

it('the guide to commands has every verb, and no other, in their order', () => {
  const words = Object.keys(VERBS_OF) as CommandWord[];
  const known = words.flatMap((of) =>
    Object.keys(VERBS_OF[of]).map((verb) => [usageOf(of, verb, ''), DEFAULT_POLICY.permissions[verb as Permitted]]),
  );
  expect(rows).toEqual(known);
});
