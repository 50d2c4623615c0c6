import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatProblem, parseBatchDocument, parseYaml } from '../../../src/core/documents/index.ts';

function problemsOf(text: string): string[] {
  const parsed = parseYaml(text);
  return parsed.ok ? [] : parsed.problems.map(formatProblem);
}

describe('YAML text', () => {
  it('becomes plain values, JSON included', () => {
    expect(parseYaml('a: [1, "x", true, null]\n12: b')).toMatchObject({
      ok: true,
      value: { value: { a: [1, 'x', true, null], 12: 'b' } },
    });
    expect(parseYaml('{"a": {"b": 1.5}}')).toMatchObject({ ok: true, value: { value: { a: { b: 1.5 } } } });
  });

  it('says where it is broken', () => {
    expect(problemsOf('a: 1\nb: [1,\n')[0]).toMatch(/^line 3, column 1: /);
  });

  it('refuses doubled keys, at any depth, with their place', () => {
    expect(problemsOf('a: 1\nb:\n  c: 1\n  c: 2\na: 3')).toEqual([
      'line 5, column 1: a: the key is given twice',
      'line 4, column 3: c: the key is given twice',
    ]);
  });

  it.each([
    ['tags of its own', 'a: !ruby/object x'],
    ['binary', 'a: !!binary aGk='],
    ['a second document', 'a: 1\n---\nb: 2'],
    ['keys that are no strings', '? [a, b]\n: 1'],
    ['an unknown alias', 'a: *nothing'],
  ])('refuses %s', (_what, text) => {
    expect(problemsOf(text)).not.toEqual([]);
  });

  it('refuses aliases that unfold without end', () => {
    const levels = Array.from({ length: 12 }, (_, i) => `l${i + 1}: &l${i + 1} [${`*l${i},`.repeat(9)}]`);
    expect(problemsOf(['l0: &l0 [x]', ...levels].join('\n'))).toEqual(['has aliases that unfold too far']);
  });

  it('reads no merge keys: they are keys like others', () => {
    expect(parseYaml('a: &a {x: 1}\nb: {<<: *a}')).toMatchObject({
      ok: true,
      value: { value: { b: { '<<': { x: 1 } } } },
    });
  });

  it.each([
    ['lists', '['.repeat(500_000)],
    ['mappings', '{a: '.repeat(200_000)],
    // Composed by recursion, these end the process: no exception can be caught.
    ['lists in a line', '- '.repeat(500_000)],
    ['mappings in a line', 'a: '.repeat(300_000)],
    ['keys', '? '.repeat(500_000)],
    ['lines', Array.from({ length: 1000 }, (_, i) => `${' '.repeat(i)}a:`).join('\n')],
  ])('refuses %s that are nested too deeply', (_what, text) => {
    expect(problemsOf(text)).toEqual(['is nested too deeply']);
  });

  it('takes any nesting that a document of ours may have', () => {
    expect(parseYaml(`${'{a: '.repeat(30)}1${'}'.repeat(30)}`).ok).toBe(true);
    expect(parseYaml(Array.from({ length: 30 }, (_, i) => `${' '.repeat(i)}a:`).join('\n')).ok).toBe(true);
  });

  it('refuses what is too long, and lists no more problems than can be read', () => {
    expect(problemsOf('x'.repeat(1_048_577))).toEqual(['must be at most 1048576 characters']);
    const doubled = problemsOf('a: 1\n'.repeat(5000));
    expect(doubled).toHaveLength(1001);
    expect(doubled.at(-1)).toBe('has more problems, which are not listed');
  });

  it('tells only the first of what makes it no YAML, each in a line: the rest follows from them', () => {
    const problems = problemsOf('`code` and text: {a\n'.repeat(20));
    expect(problems).toHaveLength(6);
    expect(problems[0]).toContain('reserved character `');
    expect(problems.at(-1)).toBe('has more problems, which are not listed');
    const [quoted = ''] = problemsOf(`a: !${'x'.repeat(5000)} 1`);
    expect(quoted).toMatch(/xxx…$/);
    expect(quoted.length).toBeLessThan(300);
  });

  it('takes many keys in time that grows with their number only', () => {
    const text = Array.from({ length: 50_000 }, (_, i) => `k${i}: ${i}`).join('\n');
    expect(parseYaml(text).ok).toBe(true);
  });

  it('never throws, whatever the text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[-:{}[\]&*!|>"' a\n#?%@]{0,40}$/)), (text) => {
        const parsed = parseYaml(text);
        expect(parsed.ok || parsed.problems.length > 0).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it('gives the problems of a document their line and column', () => {
    const text =
      'repository: acme/widgets\nname: n\ntasks:\n  a:\n    runs_on: local\n    run: [x]\n    needs: [b]\n    extra: 1\n';
    const yaml = parseYaml(text);
    const parsed = parseBatchDocument(yaml.ok && yaml.value.value, yaml.ok ? yaml.value.locate : undefined);
    expect(parsed.ok ? [] : parsed.problems.map((problem) => [problem.path, problem.line, problem.column])).toEqual([
      ['tasks.a.extra', 8, 5],
      ['tasks.a.needs[0]', 7, 13],
    ]);
  });
});
