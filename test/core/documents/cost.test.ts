/** What a text of a few kilobytes may make of itself is bounded, whatever is written in it: reading it keeps everybody else waiting. */
import { describe, expect, it } from 'vitest';
import {
  formatProblem,
  instantiate,
  parseBatchDocument,
  readRepositoryFile,
  resolveBatch,
} from '../../../src/core/documents/index.ts';

function problemsIn(text: string): string[] {
  const parsed = readRepositoryFile(text);
  return parsed.ok ? [] : parsed.problems.map(formatProblem);
}

const list = (count: number, of: (index: number) => string) =>
  Array.from({ length: count }, (_, i) => of(i)).join(', ');
const withInputs = (inputs: string) => `tasks: { t: { runs_on: local, run: [a], inputs: { ${inputs} } } }`;
/** Four repetitions that can share a text in very many ways. */
const AMBIGUOUS = 'x{0,250}x{0,250}x{0,250}x{0,250}';

describe("the repository's file", () => {
  it('has no more YAML than can be read at once, however short its pieces are', () => {
    const tooMany = 'must be at most 32000 names, values, signs and spaces of YAML';
    for (const piece of ['}', '[', ',', '- ', '-\n', '? ', ':\n', '{a', '*a ', '"']) {
      expect(problemsIn(`[${piece.repeat(65_000 / piece.length)}`), piece).not.toEqual([]);
    }
    expect(problemsIn(`[${','.repeat(60_000)}]`)).toEqual([tooMany]);
    expect(problemsIn(`tasks: { ${list(900, (i) => `t${i}: { runs_on: local, run: [a, b] }`)} }`)).toEqual([]);
  });

  it('does not make much of a template by using it often', () => {
    const words = list(900, () => `'\${{ inputs.a }}'`);
    const template = `tasks: { t: { runs_on: local, run: [a, ${words}], inputs: { a: { default: b } } } }`;
    const using = (count: number) =>
      `${template}\nbatches: { b: { tasks: { ${list(count, (i) => `k${i}: { uses: t }`)} } } }`;
    expect(problemsIn(using(20))).toEqual([]);
    expect(problemsIn(using(1_000))).toEqual([
      expect.stringMatching(
        /^line 2, column 1: batches: must come to at most 20000 values, with the templates that they use$/,
      ),
    ]);
  });

  it('has no defaults that take long to be matched', () => {
    const inputs = list(12, (i) => `a${i}: { pattern: "${AMBIGUOUS}${i}*", default: "${'x'.repeat(900)}" }`);
    const problems = problemsIn(withInputs(inputs));
    expect(problems).toHaveLength(11);
    expect(problems[0]).toMatch(/inputs\.a1\.default: takes too long to be matched: give a shorter value/);
    expect(problemsIn(withInputs(`a: { pattern: ".{0,1000}", default: "${'é'.repeat(1_000)}" }`))).toEqual([]);
  });

  it('has few aliases, for each is looked for in all of the text', () => {
    const aliased = (count: number) =>
      `${list(count, (i) => `a${i}: &a${i} 1`)}, ${list(count, (i) => `b${i}: *a${i}`)}`;
    expect(problemsIn(`{ ${aliased(600)} }`)).toEqual(['must have at most 500 aliases']);
    expect(problemsIn(`{ ${aliased(400)} }`)[0]).toMatch(/^line 1, column 3: a0: unknown key/);
  });

  it('leaves errors with the traces that they had', () => {
    const before = Error.stackTraceLimit;
    for (const text of ['a: b', 'a: "', '['.repeat(500), `[${','.repeat(60_000)}]`]) problemsIn(text);
    expect(Error.stackTraceLimit).toBe(before);
  });
});

it('values that somebody gives are not matched for long', () => {
  const file = readRepositoryFile(
    withInputs(list(12, (i) => `a${i}: { pattern: "${AMBIGUOUS}${i}*|.*", default: b }`)),
  );
  if (!file.ok) throw new Error(JSON.stringify(file.problems));
  const template = file.value.templates.get('t');
  if (template === undefined) throw new Error('no template');
  const given = Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`a${i}`, 'x'.repeat(4_000)]));
  const made = instantiate(template, given, { repository: 'acme/widgets', issue: null });
  expect(made.ok ? [] : made.problems.map(formatProblem)).toContainEqual(
    expect.stringMatching(/^inputs\.a0: takes too long to be matched/),
  );
  expect(instantiate(template, { a0: 'x'.repeat(500) }, { repository: 'acme/widgets', issue: null }).ok).toBe(true);
});

it('a batch document of many tasks may give each the same values', () => {
  const file = readRepositoryFile(withInputs(`a: { pattern: "${AMBIGUOUS}", default: "${'x'.repeat(900)}" }`));
  if (!file.ok) throw new Error(JSON.stringify(file.problems));
  const tasks = Object.fromEntries(Array.from({ length: 2_000 }, (_, i) => [`k${i}`, { uses: 't' }]));
  const draft = parseBatchDocument({ repository: 'acme/widgets', name: 'b', tasks });
  if (!draft.ok) throw new Error(JSON.stringify(draft.problems));
  const context = { repository: 'acme/widgets', issueUrl: () => '' };
  expect(resolveBatch(draft.value, file.value, context).ok).toBe(true);
});
