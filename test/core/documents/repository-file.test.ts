import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  batchOf,
  formatProblem,
  MAX_FILE_CHARACTERS,
  parseRepositoryFile,
  readRepositoryFile,
  repositoryFileJsonSchema,
} from '../../../src/core/documents/index.ts';
import { DEFAULT_POLICY } from '../../../src/core/policy.ts';

const plain = { runs_on: 'local', run: ['train'] };

function problemsOf(value: unknown): string[] {
  const parsed = parseRepositoryFile(value);
  return parsed.ok ? [] : parsed.problems.map(formatProblem);
}

function problemsIn(text: string): string[] {
  const parsed = readRepositoryFile(text);
  return parsed.ok ? [] : parsed.problems.map(formatProblem);
}

function accept(value: unknown) {
  const parsed = parseRepositoryFile(value);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  return parsed.value;
}

/** Written so, for the linter takes it for a template string of ours that was forgotten. */
const ex = (name: string) => `\${{ ${name} }}`;

const withTemplate = (fields: Record<string, unknown>) => ({ tasks: { train: { ...plain, ...fields } } });
const withInput = (input: unknown) => withTemplate({ inputs: { lr: input } });
const withPattern = (pattern: string) => withInput({ pattern });

describe("the repository's file", () => {
  it.each([undefined, null, {}])('defines nothing and has the default policy when it says nothing', (value) => {
    expect(accept(value)).toEqual({ templates: new Map(), batches: new Map(), policy: DEFAULT_POLICY });
  });

  it('gives a template its defaults', () => {
    expect(accept({ tasks: { train: plain } }).templates.get('train')).toEqual({
      key: 'train',
      name: 'train',
      priority: 0,
      inputs: new Map(),
      spec: {
        runsOn: 'local',
        run: ['train'],
        env: {},
        envFrom: [],
        timeoutMinutes: null,
        stallMinutes: 0,
        graceSeconds: null,
        retry: { attempts: 1, backoffSeconds: 30 },
        workingDirectory: null,
      },
    });
  });

  it('takes every field of a template, with fractions for minutes and seconds', () => {
    const fields = {
      ...{
        name: 'Train the ranker',
        env: { A: '1' },
        env_from: ['HF_TOKEN'],
        timeout_minutes: 0.5,
        stall_minutes: 1.5,
      },
      ...{ grace_seconds: 0.2, retry: { backoff_seconds: 0.1 }, working_directory: 'models', priority: 3 },
      inputs: { lr: { pattern: '[0-9.]+', default: '0.1', description: 'learning rate' }, tag: null },
    };
    expect(accept(withTemplate(fields)).templates.get('train')).toEqual({
      key: 'train',
      name: 'Train the ranker',
      priority: 3,
      inputs: new Map([
        ['lr', { pattern: '[0-9.]+', default: '0.1', description: 'learning rate' }],
        ['tag', { pattern: null, default: null, description: null }],
      ]),
      spec: {
        ...{ runsOn: 'local', run: ['train'], env: { A: '1' }, envFrom: ['HF_TOKEN'], timeoutMinutes: 0.5 },
        ...{ stallMinutes: 1.5, graceSeconds: 0.2, retry: { attempts: 1, backoffSeconds: 0.1 } },
        workingDirectory: 'models',
      },
    });
  });

  it('reads the policy, and leaves at its default what it does not name', () => {
    const { policy } = accept({
      policy: {
        on_close: { completed: 'let_finish' },
        close_delay_seconds: 1.5,
        notify: 'all',
        close_issue_on_done: true,
      },
      permissions: { run: 'maintain', status: 'none', author: ['cancel', 'status'] },
      command_prefix: 'bot',
    });
    expect(policy).toEqual({
      ...DEFAULT_POLICY,
      onClose: { ...DEFAULT_POLICY.onClose, completed: 'let_finish' },
      closeDelaySeconds: 1.5,
      notify: 'all',
      closeIssueOnDone: true,
      permissions: { ...DEFAULT_POLICY.permissions, run: 'maintain', status: 'none' },
      author: ['cancel', 'status'],
      commandPrefix: 'bot',
    });
  });

  it('gives a batch its repository and its key as name', () => {
    const file = accept({ tasks: { train: plain }, batches: { nightly: { tasks: { a: { uses: 'train' } } } } });
    expect(batchOf(file, 'nightly', 'acme/widgets')).toMatchObject({
      ...{ repository: 'acme/widgets', name: 'nightly', strategy: 'parallel', maxParallel: 4, onFailure: 'continue' },
      tasks: [{ key: 'a', uses: 'train' }],
    });
    expect(batchOf(file, 'weekly', 'acme/widgets')).toBeNull();
    expect(batchOf(file, 'constructor', 'acme/widgets')).toBeNull();
  });

  it('says line, key and what is accepted, of everything at once', () => {
    const text = [
      'tasks:',
      '  train:',
      `    runs_on: ${ex('inputs.where')}`,
      '    run: python3 train.py',
      '    inputs: { lr: { default: 0.1, pattern: "(" }, 2x: {} }',
      '    verify: { runs: [a] }',
      '    issue: 3',
      'policy: { on_close: { completed: stop }, notify: some, max_requeues_per_hour: 0 }',
      'permissions: { run: owner, author: [everything] }',
      'command_prefix: "/bot"',
      'batches: { nightly: { tasks: { a: { needs: [b], run: [x] } } }, weekly: { name: x, tasks: {} } }',
      'policies: {}',
    ].join('\n');
    expect(problemsIn(text).toSorted()).toEqual([
      'line 10, column 1: command_prefix: must be empty, or up to 31 letters, digits and -, a letter first, not "/bot"',
      'line 11, column 32: batches.nightly.tasks.a.runs_on: is missing: must be a string, unless the task uses a template',
      'line 11, column 45: batches.nightly.tasks.a.needs[0]: no task "b" in this batch; it has: a',
      'line 11, column 75: batches.weekly.name: unknown key; accepted: strategy, max_parallel, on_failure, tasks',
      'line 11, column 84: batches.weekly.tasks: must have at least one task',
      'line 12, column 1: policies: unknown key; accepted: tasks, batches, policy, permissions, command_prefix',
      'line 3, column 5: tasks.train.runs_on: must be written out: expressions are filled in only in the items of run, the values of env and the branches of evidence',
      'line 4, column 5: tasks.train.run: must be a list of strings, the program first, never a shell line, not "python3 train.py"',
      'line 5, column 21: tasks.train.inputs.lr.default: must be a string (put it in quotes), not 0.1',
      `line 5, column 35: tasks.train.inputs.lr.pattern: must be a pattern of RE2's syntax, not "(": missing closing ): \`(\``,
      'line 5, column 51: tasks.train.inputs.2x: must be an input name: letters, digits, _ and -, no digit or - first, not "2x"',
      'line 6, column 15: tasks.train.verify.runs: unknown key; accepted: run, env, timeout_minutes',
      'line 6, column 5: tasks.train.verify.run: is missing: must be a list of strings, the program first, never a shell line',
      'line 7, column 5: tasks.train.issue: unknown key; accepted: name, runs_on, run, inputs, env, env_from, timeout_minutes, stall_minutes, grace_seconds, retry, working_directory, priority, overlap, verify, evidence',
      'line 8, column 23: policy.on_close.completed: must be one of done, cancel, let_finish, ignore, not "stop"',
      'line 8, column 42: policy.notify: must be one of failures, all, none, not "some"',
      'line 8, column 56: policy.max_requeues_per_hour: must be at least 1, not 0',
      'line 9, column 16: permissions.run: must be one of none, read, triage, write, maintain, admin, not "owner"',
      'line 9, column 37: permissions.author[0]: must be one of run, retry, release, skip, answer, link, unlink, resume, cancel, done, hold, block, logs, status, help, not "everything"',
    ]);
  });

  it.each([
    ['no mapping', 'train', 'must be a mapping, not "train"'],
    [
      'a template without a program',
      { tasks: { a: { runs_on: 'local' } } },
      /^tasks\.a\.run: is missing: must be a list/,
    ],
    ['a template without a runner', { tasks: { a: { run: ['x'] } } }, /^tasks\.a\.runs_on: is missing/],
    ['a name with a space', { tasks: { 'a b': plain } }, /^tasks\["a b"\]: must be 1 to 100 characters/],
    [
      'an input name with a digit first',
      withTemplate({ inputs: { '1a': {} } }),
      /^tasks\.train\.inputs\.1a: must be an input name/,
    ],
    [
      'a default that is no string',
      withInput({ default: 1 }),
      'tasks.train.inputs.lr.default: must be a string (put it in quotes), not 1',
    ],
    [
      'a default that its pattern refuses',
      withInput({ pattern: '[0-9]+', default: '1x' }),
      'tasks.train.inputs.lr.default: must be what matches [0-9]+ as a whole, not "1x"',
    ],
    [
      'a default that looks like an option',
      withInput({ default: '-x' }),
      /^tasks\.train\.inputs\.lr\.default: must be at most 200 characters of \[A-Za-z.*, the first not a -, not "-x"$/,
    ],
    [
      'an unknown name in an expression',
      withTemplate({ run: ['a', ex('secrets.TOKEN')] }),
      `tasks.train.run[1]: "${ex('secrets.TOKEN')}" is not known; accepted between ${ex('and')}: inputs.NAME, issue.number, issue.url, repository`,
    ],
    [
      'an expression that is not closed',
      withTemplate({ env: { A: `x ${ex('repository').slice(0, -1)}` } }),
      /^tasks\.train\.env\.A: "\$\{\{ repository \}" is not closed/,
    ],
    [
      'an input that is not there',
      withTemplate({ run: ['a', ex('inputs.lr')] }),
      'tasks.train.run[1]: no input is called inputs.lr; accepted: there are no inputs',
    ],
    [
      'a program that anybody could name',
      { tasks: { a: { ...plain, run: [ex('inputs.program')], inputs: { program: {} } } } },
      'tasks.a.run[0]: an input that names the program must have a pattern: inputs.program has none',
    ],
    [
      'a template that is not there',
      { batches: { n: { tasks: { a: { uses: 'train' } } } } },
      'batches.n.tasks.a.uses: no template is called train; there is: none',
    ],
    [
      'a value that the template does not take',
      { ...withInput({ pattern: '[0-9]+' }), batches: { n: { tasks: { a: { uses: 'train', with: { lr: 'x' } } } } } },
      'batches.n.tasks.a.with.lr: must be what matches [0-9]+ as a whole, not "x"',
    ],
    [
      'an issue that is asked for and not named',
      {
        tasks: { t: { ...plain, env: { N: ex('issue.number') } } },
        batches: { n: { tasks: { a: { uses: 't' } } } },
      },
      `batches.n.tasks.a.issue: is missing: ${ex('issue.number')} needs a task that is linked to an issue`,
    ],
    [
      'a repository in a batch',
      { batches: { n: { repository: 'acme/widgets', tasks: { a: plain } } } },
      'batches.n.repository: unknown key; accepted: strategy, max_parallel, on_failure, tasks',
    ],
    ['a batch without tasks', { batches: { n: { tasks: {} } } }, 'batches.n.tasks: must have at least one task'],
    [
      'needs in a circle',
      { batches: { n: { tasks: { a: { ...plain, needs: ['b'] }, b: { ...plain, needs: ['a'] } } } } },
      'batches.n.tasks.a.needs: needs in a circle: a → b → a',
    ],
  ])('refuses %s', (_what, value, problem) => {
    const problems = problemsOf(value);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toEqual(typeof problem === 'string' ? problem : expect.stringMatching(problem));
  });

  it.each([
    ['runs_on', 'runs_on', ex('inputs.lr')],
    ['working_directory', 'working_directory', `x/${ex('inputs.lr')}`],
    ['name', 'name', `Train ${ex('issue.number')}`],
    ['env_from[0]', 'env_from', [ex('inputs.lr')]],
    ['inputs.lr.default', 'inputs', { lr: { default: ex('repository') } }],
  ])('says where expressions are filled in of one in %s', (path, key, value) => {
    expect(problemsOf({ tasks: { train: { ...plain, inputs: { lr: {} }, [key]: value } } })).toEqual([
      `tasks.train.${path}: must be written out: expressions are filled in only in the items of run, the values of env and the branches of evidence`,
    ]);
  });

  it('refuses an expression in the values that a batch gives', () => {
    const batches = { n: { tasks: { a: { uses: 'train', with: { lr: ex('repository') } } } } };
    expect(problemsOf({ ...withInput({}), batches })).toEqual([
      expect.stringMatching(/^batches\.n\.tasks\.a\.with\.lr: must be written out/),
    ]);
  });

  it('is fine with inputs that nothing uses', () => {
    expect(problemsOf(withInput({ pattern: '[a-z]+' }))).toEqual([]);
  });

  it.each(['__proto__', 'constructor', 'prototype'])('refuses %s as a name, wherever one is chosen', (name) => {
    const text = `{"tasks":{"${name}":{"runs_on":"l","run":["a"]},"t":{"runs_on":"l","run":["a"],"env":{"${name}":"x"},
      "inputs":{"${name}":{}}}},"batches":{"${name}":{"tasks":{}},"b":{"tasks":{"${name}":{"runs_on":"l","run":["a"]}}}}}`;
    const problems = problemsIn(text).map((problem) => problem.replace(/^line \d+, column \d+: /, ''));
    for (const path of [
      `tasks.${name}`,
      `tasks.t.env.${name}`,
      `tasks.t.inputs.${name}`,
      `batches.${name}`,
      `batches.b.tasks.${name}`,
    ]) {
      expect(problems).toContain(`${path}: "${name}" is reserved and can't be a name`);
    }
    expect(Object.getPrototypeOf({})).toBe(Object.prototype);
  });

  it('refuses __proto__ as a key of anything', () => {
    const text =
      '{"__proto__":{"admin":1},"policy":{"__proto__":{},"on_close":{"__proto__":{}}},"permissions":{"__proto__":{}}}';
    expect(problemsIn(text)).toHaveLength(4);
  });
});

describe('whatever the file says', () => {
  const keys = [
    'tasks',
    'batches',
    'policy',
    'permissions',
    'on_close',
    'author',
    'run',
    'env',
    'inputs',
    'pattern',
    'uses',
  ];

  it('is answered without throwing or touching a prototype', () => {
    const word = fc.constantFrom(ex('inputs.a'), `$${'{{'}`, 'a', '(', '[a-z]{9}', '__proto__', 'write');
    const value = fc.letrec((tie) => ({
      tree: fc.oneof({ maxDepth: 7 }, word, fc.jsonValue(), tie('mapping'), fc.array(tie('tree'), { maxLength: 3 })),
      mapping: fc
        .uniqueArray(fc.tuple(fc.constantFrom(...keys, 'with', '__proto__', 'constructor'), tie('tree')), {
          selector: ([key]) => key,
          maxLength: 5,
        })
        .map((entries) => JSON.parse(`{${entries.map(([k, v]) => `"${k}":${JSON.stringify(v) ?? 'null'}`).join()}}`)),
    })).mapping;
    fc.assert(
      fc.property(value, (given) => {
        const parsed = parseRepositoryFile(given);
        expect(parsed.ok || parsed.problems.length > 0).toBe(true);
        expect(Object.keys(Object.prototype)).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  it('has a pattern or a problem in every pattern, and the values that match are told without throwing', () => {
    const pieces = fc.constantFrom(
      ...'()[]{}*+?|^$.\\a-1,',
      '(?i)',
      '(?:',
      '(?P<a>',
      '\\Q',
      '\\p{L}',
      '[:alpha:]',
      '{900}',
      '\ud800',
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 30 }), fc.string({ maxLength: 20 }), (given, value) => {
        const file = parseRepositoryFile(withInput({ pattern: given.join(''), default: value }));
        expect(file.ok || file.problems.length > 0).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });
});

describe('a pattern', () => {
  it.each(['[0-9.e-]+', '(?i)v\\d{1,4}(\\.\\d{1,4}){2}', '\\pL{1,64}', '[^\\s]{0,900}', 'a|ab', ''])(
    'may be %s',
    (pattern) => {
      expect(problemsOf(withPattern(pattern))).toEqual([]);
    },
  );

  it.each([
    ['(', 'missing closing )'],
    ['(?=a)b', 'invalid or unsupported Perl syntax'],
    ['(?<!a)b', 'invalid'],
    ['(a)\\1', 'invalid escape sequence'],
    ['a**', 'invalid nested repetition operator'],
    ['[z-a]', 'invalid character class range'],
  ])("quotes %s and the engine's word for it", (pattern, word) => {
    const [problem, ...others] = problemsOf(withPattern(pattern));
    expect(others).toEqual([]);
    expect(problem).toContain(
      `tasks.train.inputs.lr.pattern: must be a pattern of RE2's syntax, not ${JSON.stringify(pattern)}: `,
    );
    expect(problem).toContain(word);
  });

  it.each(['((a{1000}){1000})', '(a{30}){100}', `(${'x'.repeat(90)}){100}`, '[a]{900}[b]{900}', '\\Q(\\E(aaaa){1000}'])(
    'does not unfold %s',
    (pattern) => {
      expect(problemsOf(withPattern(pattern))).toEqual([
        expect.stringMatching(/^tasks\.train\.inputs\.lr\.pattern: must be a pattern with smaller counted repetitions/),
      ]);
    },
  );

  it('is at most 500 characters long', () => {
    expect(problemsOf(withPattern('a'.repeat(501)))).toEqual([
      expect.stringMatching(/^tasks\.train\.inputs\.lr\.pattern: must be at most 500 characters, not "a/),
    ]);
  });

  it('may not be one of very many, or of many large ones', () => {
    const inputs = (count: number, pattern: (index: number) => string) =>
      withTemplate({
        inputs: Object.fromEntries(Array.from({ length: count }, (_, i) => [`i${i}`, { pattern: pattern(i) }])),
      });
    expect(problemsOf(inputs(100, (i) => `[a-z]{1,${i + 1}}`))).toEqual([]);
    expect(problemsOf(inputs(100, () => '[a-z]{900}'))).toEqual([]);
    expect(problemsOf(inputs(100, (i) => `[a-z]{${900 + i}}`))).toEqual([
      expect.stringMatching(/^has patterns that are too many/),
    ]);
    expect(problemsOf(inputs(101, () => 'a'))).toEqual(['tasks.train.inputs: must have at most 100 inputs']);
  });
});

describe("the file's text", () => {
  it('is refused unread where it is too long', () => {
    const text = `# ${'x'.repeat(MAX_FILE_CHARACTERS - 2)}`;
    expect(problemsIn(text)).toEqual([]);
    expect(problemsIn(`${text}x`)).toEqual(['must be at most 65536 characters, not 65537']);
    expect(problemsIn('a: @\n'.repeat(200_000))).toEqual(['must be at most 65536 characters, not 1000000']);
  });

  it('is refused where aliases unfold to much', () => {
    const levels = Array.from({ length: 12 }, (_, i) => `l${i + 1}: &l${i + 1} [${`*l${i},`.repeat(9)}]`);
    expect(problemsIn(['l0: &l0 [x]', ...levels].join('\n'))).toEqual(['has aliases that unfold too far']);
    const tasks = Array.from({ length: 1000 }, (_, i) => `  t${i}: { runs_on: l, run: [a] }`).join('\n');
    const batches = Array.from({ length: 40 }, (_, i) => `  b${i}: { tasks: *t }`).join('\n');
    expect(problemsIn(`tasks: &t\n${tasks}\nbatches:\n${batches}`)).toEqual([
      'line 1, column 1: must be at most 20000 values, aliases unfolded',
    ]);
  });

  it('may use an alias for what several templates share', () => {
    const text =
      'tasks:\n  a: { runs_on: l, run: [a], env: &env { A: "1" } }\n  b: { runs_on: l, run: [b], env: *env }';
    const parsed = readRepositoryFile(text);
    expect(parsed.ok && parsed.value.templates.get('b')?.spec.env).toEqual({ A: '1' });
  });

  it.each([
    ['a key twice', 'tasks: {}\ntasks: {}', 'line 2, column 1: tasks: the key is given twice'],
    ['an endless nesting', '['.repeat(60_000), 'is nested too deeply'],
    ['a second document', 'tasks: {}\n---\ntasks: {}', /^line 2, column 1: must be one document/],
  ])('is refused with %s', (_what, text, problem) => {
    expect(problemsIn(text)[0]).toEqual(typeof problem === 'string' ? problem : expect.stringMatching(problem));
  });
});

describe("the file's JSON Schema", () => {
  const validate = new Ajv2020({ strict: false }).compile(repositoryFileJsonSchema());

  it.each([
    {},
    { tasks: { train: plain } },
    withInput({ pattern: '[0-9]+', default: '1' }),
    withInput(null),
    withTemplate({ timeout_minutes: null, retry: {}, verify: null }),
    withTemplate({ verify: { run: ['x'], env: { A: '1' } } }),
    withTemplate({ evidence: { branch: 'work', base: null } }),
    withTemplate({ evidence: null }),
    { tasks: { train: plain }, batches: { n: { tasks: { a: { uses: 'train' }, b: { ...plain, needs: ['a'] } } } } },
    { policy: { on_close: { unknown: 'ignore' } }, permissions: { author: ['done'] }, command_prefix: '' },
  ])('takes what the parser takes: %j', (value) => {
    const given = JSON.parse(JSON.stringify(value));
    expect(validate(given), JSON.stringify(validate.errors)).toBe(true);
    expect(problemsOf(given)).toEqual([]);
  });

  it.each([
    { task: {} },
    { tasks: { 'a b': plain } },
    { tasks: { a: { run: ['x'] } } },
    withTemplate({ issue: 1 }),
    withTemplate({ verify: {} }),
    withTemplate({ evidence: { base: 'main' } }),
    withInput({ default: 1 }),
    withTemplate({ inputs: { '1': {} } }),
    { batches: { n: { tasks: {} } } },
    { batches: { n: { tasks: { a: { run: ['x'] } } } } },
    { policy: { on_close: { completed: 'stop' } } },
    { policy: { max_requeues_per_hour: 0.5 } },
    { permissions: { author: ['all'] } },
    { command_prefix: 'a b' },
  ])('refuses what the parser refuses: %j', (value) => {
    expect(validate(value)).toBe(false);
    expect(problemsOf(value)).not.toEqual([]);
  });
});
