/**
 * What has to be looked for in a document as it was written, wherever it stands: names that a schema drops without a word,
 * expressions where none is filled in; and what would cost too much to look at any closer.
 */
import { asMapping } from './check.ts';
import { hasExpression } from './expression.ts';
import { costInAll, MAX_COST_IN_ALL } from './pattern.ts';
import type { Finding, Keys } from './problem.ts';

/** Deeper than any document of ours: what lies below is an unknown key anyway. */
const MAX_DEPTH = 9;

const MISPLACED =
  'must be written out: expressions are filled in only in the items of run, the values of env and the branches of evidence';
const TOO_MANY_PATTERNS = 'has patterns that are too many, or too large in all: give inputs the same or simpler ones';

export interface Walk {
  /** Whether expressions are filled in where these keys lead. */
  mayHoldExpressions(keys: Keys): boolean;
  /** Of mappings, lists and what is in them, with aliases unfolded. */
  maxValues: number;
}

export interface Walked {
  /** Told besides what the schema says; a finding of the schema at the same place says less. */
  findings: Finding[];
  /** Nothing else is looked at. */
  tooCostly: Finding | null;
}

export function walk(value: unknown, { mayHoldExpressions, maxValues }: Walk): Walked {
  const findings: Finding[] = [];
  const patterns = new Set<string>();
  let count = 0;
  for (const { at, keys } of valuesIn(value, [])) {
    count += 1;
    if (count > maxValues)
      return { findings, tooCostly: whole(`must be at most ${maxValues} values, aliases unfolded`) };
    if (keys.at(-1) === '__proto__') findings.push({ keys, message: '"__proto__" is reserved and can\'t be a name' });
    if (typeof at !== 'string') continue;
    if (keys.at(-1) === 'pattern' && keys.at(-3) === 'inputs') patterns.add(at);
    if (hasExpression(at) && !mayHoldExpressions(keys)) findings.push({ keys, message: MISPLACED });
  }
  return { findings, tooCostly: costInAll(patterns) > MAX_COST_IN_ALL ? whole(TOO_MANY_PATTERNS) : null };
}

/** In the document's order. */
function* valuesIn(value: unknown, keys: Keys): Generator<{ at: unknown; keys: Keys }> {
  yield { at: value, keys };
  if (keys.length >= MAX_DEPTH) return;
  const inner: Iterable<[PropertyKey, unknown]> = Array.isArray(value)
    ? value.entries()
    : Object.entries(asMapping(value) ?? {});
  for (const [key, item] of inner) yield* valuesIn(item, [...keys, key]);
}

function whole(message: string): Finding {
  return { keys: [], message };
}
