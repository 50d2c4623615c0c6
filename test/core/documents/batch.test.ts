import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  batchDocumentJsonSchema,
  MAX_TASKS,
  parseBatchDocument,
  parseYaml,
  resolveBatch,
} from '../../../src/core/documents/index.ts';

const run = ['python3', 'train.py'];
const minimal = { repository: 'acme/widgets', name: 'nightly', tasks: { train: { runs_on: 'local', run } } };

function withTask(task: Record<string, unknown>) {
  return { ...minimal, tasks: { train: { runs_on: 'local', run, ...task } } };
}

function withNeeds(needs: Record<string, unknown>) {
  const tasks = Object.entries(needs).map(([key, value]) => [key, { runs_on: 'local', run, needs: value }]);
  return { ...minimal, tasks: Object.fromEntries(tasks) };
}

function problemsOf(value: unknown): string[] {
  const parsed = parseBatchDocument(value);
  return parsed.ok ? [] : parsed.problems.map(({ path, message }) => `${path}: ${message}`);
}

const context = { repository: 'acme/widgets', issueUrl: (number: number) => `https://gh.test/issues/${number}` };

/** With complete specs. */
function accept(value: unknown) {
  const parsed = parseBatchDocument(value);
  const resolved = parsed.ok ? resolveBatch(parsed.value, null, context) : parsed;
  if (!resolved.ok) throw new Error(JSON.stringify(resolved.problems));
  return resolved.value;
}

describe('a batch document', () => {
  it('needs no more than a repository, a name and one task, and fills in the rest', () => {
    expect(accept(minimal)).toEqual({
      repository: 'acme/widgets',
      name: 'nightly',
      strategy: 'parallel',
      maxParallel: 4,
      onFailure: 'continue',
      tasks: [
        {
          key: 'train',
          name: 'train',
          issue: null,
          needs: [],
          priority: 0,
          spec: {
            runsOn: 'local',
            run,
            env: {},
            envFrom: [],
            timeoutMinutes: null,
            stallMinutes: 0,
            graceSeconds: null,
            retry: { attempts: 1, backoffSeconds: 30 },
            workingDirectory: null,
          },
        },
      ],
    });
  });

  it('takes every field of a task, with fractions for minutes and seconds', () => {
    const document = withTask({
      issue: 12,
      name: 'Train the ranker',
      env: { PYTHONUNBUFFERED: '1' },
      env_from: ['HF_TOKEN'],
      timeout_minutes: 0.05,
      stall_minutes: 1.5,
      grace_seconds: 0.2,
      retry: { attempts: 3 },
      working_directory: 'models/ranker',
      priority: -3,
    });
    expect(accept(document).tasks[0]).toMatchObject({
      issue: 12,
      name: 'Train the ranker',
      priority: -3,
      spec: {
        env: { PYTHONUNBUFFERED: '1' },
        envFrom: ['HF_TOKEN'],
        timeoutMinutes: 0.05,
        stallMinutes: 1.5,
        graceSeconds: 0.2,
        retry: { attempts: 3, backoffSeconds: 30 },
        workingDirectory: 'models/ranker',
      },
    });
  });

  it('runs one at a time when it is serial', () => {
    expect(accept({ ...minimal, strategy: 'serial', max_parallel: 8 }).maxParallel).toBe(1);
  });

  it('keeps the order of its tasks', () => {
    expect(accept(withNeeds({ zeta: [], alpha: ['zeta'], mid: [] })).tasks.map((task) => task.key)).toEqual([
      'zeta',
      'alpha',
      'mid',
    ]);
  });

  it('takes an issue as a number, and says so of one in quotes', () => {
    const issueOf = (issue: unknown) => ({ ...minimal, tasks: { a: { runs_on: 'local', run: ['true'], issue } } });
    expect(problemsOf(issueOf('1'))).toEqual(['tasks.a.issue: must be an issue number (without quotes), not "1"']);
    expect(problemsOf(issueOf('#1'))).toEqual(['tasks.a.issue: must be an issue number, not "#1"']);
  });

  it('tells all problems in one answer, of shape and of needs', () => {
    const problems = problemsOf({
      repository: 'widgets',
      strategy: 'both',
      max_paralel: 2,
      tasks: { train: { runs_on: 'local', run: 'python3 train.py', issue: 'x', needs: ['fetsh'] }, 'a b': {} },
    });
    expect(problems).toEqual(
      expect.arrayContaining([
        'repository: must be owner/name, not "widgets"',
        'name: is missing: must be a string',
        'strategy: must be one of serial, parallel, not "both"',
        'max_paralel: unknown key; accepted: repository, name, strategy, max_parallel, on_failure, tasks',
        'tasks.train.run: must be a list of strings, the program first, never a shell line, not "python3 train.py"',
        'tasks.train.issue: must be an issue number, not "x"',
        'tasks.train.needs[0]: no task "fetsh" in this batch; it has: train, a b',
        'tasks["a b"]: must be 1 to 100 characters out of A-Z a-z 0-9 . _ -, not "a b"',
      ]),
    );
    expect(problems).toHaveLength(8);
  });

  it.each([
    ['an empty batch', { ...minimal, tasks: {} }, 'tasks: must have at least one task'],
    ['tasks as a list', { ...minimal, tasks: [] }, 'tasks: must be a mapping, not a list of 0'],
    ['no object at all', 'nightly', ': must be a mapping, not "nightly"'],
    ['a NUL in an argument', withTask({ run: ['a\0b'] }), 'tasks.train.run[0]: must not contain a NUL character'],
    ['an empty argv', withTask({ run: [] }), 'tasks.train.run: must be a list of 1 or more, not a list of 0'],
    ['a nameless program', withTask({ run: [''] }), 'tasks.train.run: the first item must name a program'],
    ['a number in env', withTask({ env: { A: 1 } }), 'tasks.train.env.A: must be a string (put it in quotes), not 1'],
    [
      "a variable of Standdown's own",
      withTask({ env: { STANDDOWN_RUN_ID: 'x' } }),
      'tasks.train.env.STANDDOWN_RUN_ID: names that begin with STANDDOWN_ are set by Standdown',
    ],
    [
      'a directory that leads out',
      withTask({ working_directory: '../x' }),
      "tasks.train.working_directory: must be a path below the runner's root, without .. or a leading /",
    ],
    ['no limit at all', withTask({ timeout_minutes: 0 }), 'tasks.train.timeout_minutes: must be more than 0, not 0'],
    [
      'an endless limit',
      withTask({ timeout_minutes: Number.POSITIVE_INFINITY }),
      'tasks.train.timeout_minutes: must be a number, not Infinity',
    ],
    ['no attempt', withTask({ retry: { attempts: 0 } }), 'tasks.train.retry.attempts: must be at least 1, not 0'],
  ])('refuses %s', (_what, document, problem) => {
    expect(problemsOf(document)).toEqual([problem]);
  });

  it('takes a verify stage, and says what is wrong with one', () => {
    expect(problemsOf(withTask({ verify: { run, env: { DEPTH: '2' }, timeout_minutes: 0.5 } }))).toEqual([]);
    expect(problemsOf(withTask({ verify: null }))).toEqual([]);
    expect(problemsOf(withTask({ verify: { run: 'check', timeout_minutes: 0, retry: {} } })).toSorted()).toEqual([
      'tasks.train.verify.retry: unknown key; accepted: run, env, timeout_minutes',
      'tasks.train.verify.run: must be a list of strings, the program first, never a shell line, not "check"',
      'tasks.train.verify.timeout_minutes: must be more than 0, not 0',
    ]);
  });

  it('takes a branch as evidence, and says what is wrong with one', () => {
    expect(problemsOf(withTask({ evidence: { branch: 'work/12', base: 'release-2.0' } }))).toEqual([]);
    expect(problemsOf(withTask({ evidence: { branch: 'work', base: null } }))).toEqual([]);
    expect(problemsOf(withTask({ evidence: null }))).toEqual([]);
    expect(problemsOf(withTask({ evidence: { branch: 12, base: 'a..b', since: 'yesterday' } })).toSorted()).toEqual([
      'tasks.train.evidence.base: must be the name of a branch, not "a..b": it must not contain .. // or @{',
      'tasks.train.evidence.branch: must be a string (put it in quotes), not 12',
      'tasks.train.evidence.since: unknown key; accepted: branch, base',
    ]);
    expect(problemsOf(withTask({ evidence: {} }))).toEqual([
      'tasks.train.evidence.branch: is missing: must be a string (put it in quotes)',
    ]);
  });

  it('lets a task leave out runner and program where it uses a template, and only there', () => {
    const tasks = { a: { uses: 'train', with: { lr: '1' } }, b: { run }, c: {} };
    expect(problemsOf({ ...minimal, tasks })).toEqual([
      'tasks.b.runs_on: is missing: must be a string, unless the task uses a template',
      'tasks.c.runs_on: is missing: must be a string, unless the task uses a template',
      'tasks.c.run: is missing: must be a list of strings, the program first, never a shell line, unless the task uses a template',
    ]);
  });

  it('refuses a task that needs itself, and a need that is given twice', () => {
    expect(problemsOf(withNeeds({ a: ['a'], b: ['a', 'a'] }))).toEqual([
      'tasks.a.needs[0]: a task cannot need itself',
      'tasks.b.needs[1]: "a" is given twice',
    ]);
  });

  it('names the path of each circle, and nothing that merely leads into one', () => {
    expect(problemsOf(withNeeds({ lead: ['a'], a: ['b'], b: ['c'], c: ['a'], x: ['y'], y: ['x'], free: [] }))).toEqual([
      'tasks.a.needs: needs in a circle: a → b → c → a',
      'tasks.x.needs: needs in a circle: x → y → x',
    ]);
  });

  it('takes the largest chain and refuses one task more', () => {
    const chain = (count: number) =>
      withNeeds(Object.fromEntries(Array.from({ length: count }, (_, i) => [`t${i}`, i > 0 ? [`t${i - 1}`] : []])));
    expect(accept(chain(MAX_TASKS)).tasks).toHaveLength(MAX_TASKS);
    expect(problemsOf(chain(MAX_TASKS + 1))).toEqual([
      `tasks: must be at most ${MAX_TASKS} tasks, not ${MAX_TASKS + 1}`,
    ]);
  });

  it.each(['__proto__', 'constructor', 'prototype'])('refuses %s as a name of a task or a variable', (name) => {
    const text = `{"repository":"acme/widgets","name":"n","tasks":{"${name}":{"runs_on":"local","run":["a"]},
      "ok":{"runs_on":"local","run":["a"],"env":{"${name}":"x"}}}}`;
    const fromYaml = parseYaml(text);
    for (const value of [JSON.parse(text), fromYaml.ok && fromYaml.value.value]) {
      expect(new Set(problemsOf(value))).toEqual(
        new Set([
          `tasks.${name}: "${name}" is reserved and can't be a name`,
          `tasks.ok.env.${name}: "${name}" is reserved and can't be a name`,
        ]),
      );
    }
  });

  it('answers any JSON value without throwing or touching a prototype', () => {
    const keys = ['repository', 'name', 'tasks', 'needs', 'run', 'env', 'retry', '__proto__', 'constructor', 'a'];
    const value = fc.letrec((tie) => ({
      tree: fc.oneof({ maxDepth: 5 }, fc.jsonValue(), tie('mapping'), fc.array(tie('tree'), { maxLength: 3 })),
      mapping: fc
        .uniqueArray(fc.tuple(fc.constantFrom(...keys), tie('tree')), { selector: ([key]) => key, maxLength: 5 })
        .map((entries) => JSON.parse(`{${entries.map(([k, v]) => `"${k}":${JSON.stringify(v) ?? 'null'}`).join()}}`)),
    })).tree;
    fc.assert(
      fc.property(value, (given) => {
        const parsed = parseBatchDocument(given);
        expect(parsed.ok || parsed.problems.length > 0).toBe(true);
        expect(Object.keys(Object.prototype)).toEqual([]);
        expect(Object.getPrototypeOf({})).toBe(Object.prototype);
      }),
      { numRuns: 300 },
    );
  });

  it('finds a circle exactly where no order exists', () => {
    const graph = fc.array(fc.uniqueArray(fc.nat({ max: 5 }), { maxLength: 3 }), { minLength: 6, maxLength: 6 });
    fc.assert(
      fc.property(graph, (lists) => {
        const needs = lists.map((list, index) => list.filter((need) => need !== index));
        const document = withNeeds(Object.fromEntries(needs.map((list, i) => [`t${i}`, list.map((n) => `t${n}`)])));
        expect(problemsOf(document).length === 0).toBe(hasOrder(needs));
      }),
    );
  });

  it('has a JSON Schema that takes and refuses the same shapes', () => {
    const validate = new Ajv2020({ strict: false }).compile(batchDocumentJsonSchema());
    const usesOnly = { ...minimal, tasks: { train: { uses: 'train', with: { lr: '1' } } } };
    for (const good of [minimal, withTask({ issue: 3, retry: { attempts: 2 }, timeout_minutes: null }), usesOnly]) {
      expect(validate(good), JSON.stringify(validate.errors)).toBe(true);
    }
    for (const bad of [
      {},
      { ...minimal, tasks: {} },
      withTask({ run: 'a' }),
      withTask({ uses: 'a b' }),
      { ...minimal, tasks: { train: { run } } },
      withTask({ with: { lr: 1 } }),
      withTask({ x: 1 }),
    ]) {
      expect(validate(bad)).toBe(false);
    }
  });
});

/** Takes away what needs nothing that is left, until nothing can be taken. */
function hasOrder(needs: readonly (readonly number[])[]): boolean {
  const left = new Set(needs.keys());
  for (let before = -1; before !== left.size; ) {
    before = left.size;
    for (const task of left) if (!needs[task]!.some((need) => left.has(need))) left.delete(task);
  }
  return left.size === 0;
}
