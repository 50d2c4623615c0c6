import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseJson, withPlaces } from '../../../src/core/documents/index.ts';
import { formatPath, parsePath } from '../../../src/core/documents/problem.ts';

describe('the path of a problem', () => {
  it('reads well, and is exact for names of any kind', () => {
    expect(formatPath(['tasks', 'train', 'needs', 0])).toBe('tasks.train.needs[0]');
    expect(formatPath(['tasks', 'a.b', 'run'])).toBe('tasks["a.b"].run');
  });

  it('leads back to the same keys', () => {
    const name = fc.oneof(fc.string({ minLength: 1 }), fc.constantFrom('a.b', '0', 'a"b', 'a\\', '[0]', 'é'));
    fc.assert(
      fc.property(fc.array(fc.oneof(name, fc.nat({ max: 99 }))), (keys) => {
        expect(parsePath(formatPath(keys))).toEqual(keys);
      }),
    );
  });
});

const TASK = { issue: 1, needs: ['fetch'], runs_on: 'local', run: ['python3', 'train.py'] };

describe('JSON text', () => {
  it('is read as strictly as JSON is, with places for problems that are found later', () => {
    const parsed = parseJson('{\n  "tasks": {\n    "a.b": {"issue": "x"}\n  }\n}');
    if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
    expect(parsed.value.value).toEqual({ tasks: { 'a.b': { issue: 'x' } } });
    expect(withPlaces([{ path: 'tasks["a.b"].issue', message: 'must be better' }], parsed.value.locate)).toEqual([
      { path: 'tasks["a.b"].issue', message: 'must be better', line: 3, column: 13 },
    ]);
  });

  it.each(['', '{"a": 1,}', "{'a': 1}", '{a: 1}', '{"a": NaN}', '// x\n1'])('refuses %j', (text) => {
    expect(parseJson(text)).toMatchObject({ ok: false, problems: [{ path: '' }] });
  });

  it('refuses doubled keys, of which one would be lost', () => {
    expect(parseJson('{"a": {"b": 1, "b": 2}}')).toEqual({
      ok: false,
      problems: [{ path: 'b', message: 'the key is given twice', line: 1, column: 16 }],
    });
  });

  it('tells doubled keys apart from equal words, however they are spelt', () => {
    expect(parseJson('[{"a": "a"}, {"a": {"a": ["a", "a"]}}]').ok).toBe(true);
    expect(parseJson('{"a": 1,\n "\\u0061": 2}')).toEqual({
      ok: false,
      problems: [{ path: 'a', message: 'the key is given twice', line: 2, column: 2 }],
    });
  });

  it('finds a doubled key at any depth', () => {
    const text = `${'['.repeat(100_000)}{"a":1,"a":2}${']'.repeat(100_000)}`;
    expect(parseJson(text)).toMatchObject({ ok: false, problems: [{ path: 'a', line: 1, column: 100_008 }] });
  });

  it.each([
    ['lists', `[${'[],'.repeat(300_000)}[]]`],
    ['tasks', JSON.stringify(Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`task-${i}`, TASK])))],
  ])('is read in a moment, whatever its size (%s)', (_what, text) => {
    const started = process.cpuUsage();
    expect(parseJson(text).ok).toBe(true);
    const { user, system } = process.cpuUsage(started);
    expect(user + system).toBeLessThan(1_000_000);
  });

  it('takes every JSON value for what JSON.parse makes of it', () => {
    fc.assert(
      fc.property(fc.json(), fc.constantFrom(undefined, 2, '\t'), (text, indent) => {
        const again = JSON.stringify(JSON.parse(text), null, indent);
        expect(parseJson(again)).toMatchObject({ ok: true, value: { value: JSON.parse(again) } });
      }),
    );
  });
});
