import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  formatProblem,
  instantiate,
  parseBatchDocument,
  parseRepositoryFile,
  resolveBatch,
  type Template,
} from '../../../src/core/documents/index.ts';

/** Written so, for the linter takes it for a template string of ours that was forgotten. */
const ex = (name: string) => `\${{ ${name} }}`;

const onIssue = { repository: 'acme/widgets', issue: { number: 12, url: 'https://gh.test/acme/widgets/issues/12' } };
const resolving = { repository: 'acme/widgets', issueUrl: (number: number) => `https://gh.test/issues/${number}` };

function fileOf(tasks: Record<string, Record<string, unknown>>) {
  const whole = Object.entries(tasks).map(([key, fields]) => [key, { runs_on: 'local', run: ['train'], ...fields }]);
  const parsed = parseRepositoryFile({ tasks: Object.fromEntries(whole) });
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  return parsed.value;
}

function templateOf(fields: Record<string, unknown>): Template {
  return fileOf({ train: fields }).templates.get('train')!;
}

function start(
  template: Template,
  given: Record<string, string> = {},
  context = onIssue as Parameters<typeof instantiate>[2],
) {
  const made = instantiate(template, given, context);
  if (!made.ok) throw new Error(JSON.stringify(made.problems));
  return made.value;
}

function problemsOf(
  template: Template,
  given: Record<string, string>,
  context = onIssue as Parameters<typeof instantiate>[2],
) {
  const made = instantiate(template, given, context);
  return made.ok ? [] : made.problems.map(formatProblem);
}

describe('a template that is started', () => {
  it('has them in its verify stage, too, which is judged as the run itself is', () => {
    const verify = { run: ['check', ex('inputs.lr')], env: { N: ex('issue.number') }, timeout_minutes: 2 };
    const template = templateOf({ verify, inputs: { lr: {} } });
    expect(start(template, { lr: '0.3' }).spec.verify).toEqual({
      run: ['check', '0.3'],
      env: { N: '12' },
      timeoutMinutes: 2,
    });
    const noIssue = { ...onIssue, issue: null };
    expect(problemsOf(template, { lr: '1' }, noIssue)).toEqual([
      `issue: is missing: \${{ issue.number }} needs a task that is linked to an issue`,
    ]);
    const named = parseRepositoryFile({
      tasks: { train: { runs_on: 'local', run: ['x'], inputs: { lr: {} }, verify: { run: [ex('inputs.lr')] } } },
    });
    expect(named.ok ? [] : named.problems.map(formatProblem)).toEqual([
      'tasks.train.verify.run[0]: an input that names the program must have a pattern: inputs.lr has none',
    ]);
  });

  it('has them in the branches of its evidence, which are judged once they are whole', () => {
    const evidence = { branch: `work/${ex('issue.number')}-${ex('inputs.lr')}`, base: ex('inputs.base') };
    const template = templateOf({ evidence, inputs: { lr: {}, base: { default: 'main' } } });
    expect(start(template, { lr: '0.3' }).spec.evidence).toEqual({ branch: 'work/12-0.3', base: 'main' });
    expect(problemsOf(template, { lr: 'a..b', base: '' })).toEqual([
      'evidence.branch: must be the name of a branch, not "work/12-a..b": it must not contain .. // or @{',
      'evidence.base: must be the name of a branch, not "": it must not be empty',
    ]);
    expect(problemsOf(template, { lr: '1' }, { ...onIssue, issue: null })).toEqual([
      `issue: is missing: \${{ issue.number }} needs a task that is linked to an issue`,
    ]);
  });

  it('is judged by the branches of its evidence as far as they are written out', () => {
    const tasks = {
      a: { evidence: { branch: `${ex('inputs.x')}.lock` } },
      b: { evidence: { branch: 'work', base: ex('inputs.y') }, inputs: { x: {} } },
    };
    expect(() => fileOf(tasks)).toThrow(/tasks.a.evidence.branch.*no part of it may begin with . or end with .lock/);
    expect(() => fileOf({ b: tasks.b })).toThrow(/tasks.b.evidence.base.*no input is called inputs.y/);
  });

  it('has the values of its inputs in the items of run and in env, and names itself', () => {
    const template = templateOf({
      name: 'Train',
      priority: 2,
      run: ['train', '--lr', ex('inputs.lr'), `--tag=${ex('inputs.tag')}-${ex('issue.number')}`, `\${{inputs.lr}}`],
      env: { URL: ex('issue.url'), REPO: `${ex('repository')}.git`, PLAIN: '$(inputs.lr) {{ x }}' },
      inputs: { lr: { default: '0.1' }, tag: {} },
    });
    expect(start(template, { tag: 'a' })).toEqual({
      name: 'Train',
      priority: 2,
      spec: {
        ...template.spec,
        template: 'train',
        run: ['train', '--lr', '0.1', '--tag=a-12', '0.1'],
        env: { URL: onIssue.issue.url, REPO: 'acme/widgets.git', PLAIN: '$(inputs.lr) {{ x }}' },
      },
    });
  });

  it('never reads again what was filled in', () => {
    const inputs = { a: { pattern: '(?s).*' }, b: { pattern: '(?s).*' } };
    const template = templateOf({ run: ['x', `${ex('inputs.a')}${ex('inputs.b')}`], inputs });
    const run = (a: string, b: string) => start(template, { a, b }).spec.run[1];
    expect(run(ex('inputs.b'), ex('repository'))).toBe(`${ex('inputs.b')}${ex('repository')}`);
    expect(run('${', '{ repository }}')).toBe(ex('repository'));
    expect(run('$&', '$1')).toBe('$&$1');
  });

  it('names each input that is unknown, missing or not what it may be', () => {
    const inputs = { n: { pattern: '[0-9]+' }, tag: {}, ok: { default: '1' } };
    const template = templateOf({ inputs });
    expect(problemsOf(template, { N: '1', n: '1x', tag: '--output=/etc/x' })).toEqual([
      'inputs.N: unknown input; accepted: n, tag, ok',
      'inputs.n: must be what matches [0-9]+ as a whole, not "1x"',
      'inputs.tag: must be at most 200 characters of [A-Za-z0-9._/=:,+-], the first not a -, not "--output=/etc/x"',
    ]);
    expect(problemsOf(template, { n: '1' })).toEqual([
      expect.stringMatching(/^inputs\.tag: is missing: must be at most 200/),
    ]);
    expect(problemsOf(templateOf({}), { x: '1' })).toEqual(['inputs.x: unknown input; there are no inputs']);
  });

  it.each([
    ['a line break after the match', '[0-9]+', '1\n'],
    ['a match inside', '[0-9]+', 'x1'],
    ['the shorter alternative', 'a|ab', 'abc'],
    ['NUL', '(?s).*', 'a\0b'],
    ['half a surrogate pair', '(?s).*', '\ud800'],
    ['too much', '(?s).*', 'a'.repeat(4097)],
    ['an anchor inside a line', '(?m)^a$', 'a\nb'],
  ])('does not take %s', (_what, pattern, value) => {
    expect(problemsOf(templateOf({ inputs: { a: { pattern } } }), { a: value })).toHaveLength(1);
  });

  it.each(['$(id)', '`id`', 'a;b', 'a b', 'a\nb', '-x', '--', '*', '~', "'", '"', '\u202e', 'é', 'a'.repeat(201)])(
    'does not take %j where an input has no pattern',
    (value) => {
      expect(problemsOf(templateOf({ inputs: { a: {} } }), { a: value })).toHaveLength(1);
    },
  );

  it('takes what begins with - where the pattern of the file says so', () => {
    const template = templateOf({ run: ['x', ex('inputs.a')], inputs: { a: { pattern: '[0-9-]+' } } });
    expect(start(template, { a: '-1' }).spec.run).toEqual(['x', '-1']);
  });

  it('takes no inputs out of a prototype', () => {
    const template = templateOf({ inputs: { toString: {}, valueOf: { default: 'v' } } });
    expect(problemsOf(template, {})).toEqual([expect.stringMatching(/^inputs\.toString: is missing/)]);
    const given = JSON.parse('{"toString": "a", "__proto__": "b"}');
    expect(problemsOf(template, given)).toEqual([expect.stringMatching(/^inputs\.__proto__: unknown input/)]);
  });

  it('needs an issue only where it names one', () => {
    const nowhere = { repository: 'acme/widgets', issue: null };
    expect(start(templateOf({ run: ['x', ex('repository')] }), {}, nowhere).spec.run).toEqual(['x', 'acme/widgets']);
    expect(problemsOf(templateOf({ env: { A: ex('issue.url') } }), {}, nowhere)).toEqual([
      `issue: is missing: ${ex('issue.url')} needs a task that is linked to an issue`,
    ]);
  });

  it('does not come to a program without a name, nor to more than a system takes', () => {
    const nameless = templateOf({ run: [ex('inputs.a')], inputs: { a: { pattern: '[a-z]*' } } });
    expect(problemsOf(nameless, { a: '' })).toEqual([
      'run[0]: the first item must name a program, and comes to nothing',
    ]);
    const long = templateOf({ run: ['x', ex('inputs.a').repeat(33)], inputs: { a: { pattern: 'a*' } } });
    expect(start(long, { a: 'a'.repeat(3900) }).spec.run[1]).toHaveLength(33 * 3900);
    expect(problemsOf(long, { a: 'a'.repeat(4096) })).toEqual(['run[1]: comes to more than 131071 characters']);
    const wide = templateOf({ run: ['x', ...Array(300).fill(ex('inputs.a'))], inputs: { a: { pattern: 'a*' } } });
    expect(problemsOf(wide, { a: 'a'.repeat(4096) })).toEqual(['run: comes to more than 1000000 characters with env']);
  });

  it('keeps the shape of its argv, and each value verbatim at its place, whatever the value', () => {
    const hostile = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 50 }),
      fc.stringMatching(/^[${} a-z.`;"'\\\n|&<>*?~#-]{0,40}$/),
      fc.constantFrom(
        ex('inputs.b'),
        ex('repository'),
        '$(reboot)',
        '`id`',
        '; rm -rf /',
        '--help',
        '',
        '}}',
        '${{',
        '__proto__',
      ),
    );
    const template = templateOf({
      run: ['prog', ex('inputs.a'), 'between', `x=${ex('inputs.b')};${ex('inputs.a')}`],
      env: { A: ex('inputs.a'), FIXED: 'as it is' },
      inputs: { a: { pattern: '(?s).*' }, b: { pattern: '(?s).*' } },
    });
    fc.assert(
      fc.property(hostile, hostile, (a, b) => {
        fc.pre(![a, b].some((value) => value.includes('\0') || /\p{Surrogate}/u.test(value)));
        const { spec } = start(template, { a, b });
        expect(spec).toEqual({
          ...template.spec,
          template: 'train',
          run: ['prog', a, 'between', `x=${b};${a}`],
          env: { A: a, FIXED: 'as it is' },
        });
      }),
      { numRuns: 500 },
    );
  });

  it('has nothing that a shell or a program would take apart, where an input has no pattern', () => {
    const template = templateOf({ run: ['prog', ex('inputs.a')], inputs: { a: {} } });
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 20 }), (a) => {
        const made = instantiate(template, { a }, onIssue);
        if (!made.ok) return;
        expect(made.value.spec.run).toEqual(['prog', a]);
        expect(a).toMatch(/^(?!-)[\w./=:,+-]*$/);
      }),
      { numRuns: 500 },
    );
  });
});

describe("a batch's task that uses a template", () => {
  const file = fileOf({
    train: {
      ...{
        name: 'Train',
        priority: 5,
        timeout_minutes: 60,
        stall_minutes: 3,
        env_from: ['A'],
        working_directory: 'models',
      },
      run: ['train', '--lr', ex('inputs.lr')],
      env: { A: '1', B: '2' },
      retry: { attempts: 4, backoff_seconds: 9 },
      inputs: { lr: { pattern: '[0-9.]+', default: '0.1' }, tag: { default: 'x' } },
    },
  });

  function resolve(tasks: Record<string, Record<string, unknown>>, from: typeof file | null = file) {
    const draft = parseBatchDocument({ repository: 'acme/widgets', name: 'nightly', tasks });
    return draft.ok ? resolveBatch(draft.value, from, resolving) : draft;
  }

  function taskOf(fields: Record<string, unknown>) {
    const resolved = resolve({ a: fields });
    if (!resolved.ok) throw new Error(JSON.stringify(resolved.problems));
    return resolved.value.tasks[0]!;
  }

  function problemsIn(...given: Parameters<typeof resolve>): string[] {
    const resolved = resolve(...given);
    return resolved.ok ? [] : resolved.problems.map(formatProblem);
  }

  it('is as the template says, where it says nothing itself', () => {
    expect(taskOf({ uses: 'train' })).toEqual({
      ...{ key: 'a', name: 'Train', issue: null, needs: [], priority: 5 },
      spec: { ...file.templates.get('train')!.spec, template: 'train', run: ['train', '--lr', '0.1'] },
    });
  });

  it('lets its own fields win', () => {
    const own = {
      ...{
        uses: 'train',
        with: { lr: '0.5' },
        name: 'Mine',
        priority: 0,
        stall_minutes: 0,
        env_from: [],
        runs_on: 'other',
      },
      ...{ env: { B: ex('inputs.lr'), C: ex('issue.number') }, retry: { attempts: 1 }, working_directory: null },
      ...{ timeout_minutes: null, issue: 7 },
    };
    expect(taskOf(own)).toEqual({
      ...{ key: 'a', name: 'Mine', issue: 7, needs: [], priority: 0 },
      spec: {
        ...{ template: 'train', runsOn: 'other', run: ['train', '--lr', '0.5'], env: { A: '1', B: '0.5', C: '7' } },
        ...{ envFrom: [], timeoutMinutes: null, stallMinutes: 0, graceSeconds: null, workingDirectory: null },
        retry: { attempts: 1, backoffSeconds: 9 },
      },
    });
  });

  it("lets its own evidence win over the template's as a whole, and null take it away", () => {
    const { templates } = fileOf({ push: { evidence: { branch: 'theirs', base: 'main' } } });
    const evidenceOf = (own: object) => {
      const parsed = parseBatchDocument({
        repository: 'acme/widgets',
        name: 'n',
        tasks: { a: { uses: 'push', ...own } },
      });
      const resolved = parsed.ok ? resolveBatch(parsed.value, { templates }, resolving) : parsed;
      return resolved.ok ? resolved.value.tasks[0]!.spec.evidence : resolved.problems;
    };
    expect(evidenceOf({})).toEqual({ branch: 'theirs', base: 'main' });
    expect(evidenceOf({ evidence: { branch: 'own' } })).toEqual({ branch: 'own', base: null });
    expect(evidenceOf({ evidence: null })).toBeNull();
  });

  it('may bring a program and inputs of its own', () => {
    const own = {
      uses: 'train',
      run: ['eval', ex('inputs.lr'), ex('inputs.set')],
      inputs: { set: {} },
      with: { set: 'dev' },
    };
    expect(taskOf(own).spec.run).toEqual(['eval', '0.1', 'dev']);
    const alone = { runs_on: 'local', run: ['eval', ex('inputs.set')], inputs: { set: {} }, with: { set: 'dev' } };
    expect(taskOf(alone).spec).toMatchObject({ run: ['eval', 'dev'] });
    expect(taskOf(alone).spec).not.toHaveProperty('template');
  });

  it('tells what is wrong at its own paths, of all tasks at once', () => {
    expect(
      problemsIn({
        a: { uses: 'train', with: { lr: 'x', size: '1' } },
        b: { uses: 'eval' },
        c: { uses: 'train', env: { N: ex('issue.number') } },
        d: { runs_on: 'local', run: ['x', ex('inputs.lr')], with: { lr: '1' } },
        e: { uses: 'train', inputs: { own: { pattern: '[0-9]', default: 'x' } } },
      }),
    ).toEqual([
      'tasks.a.with.size: unknown input; accepted: lr, tag',
      'tasks.a.with.lr: must be what matches [0-9.]+ as a whole, not "x"',
      'tasks.b.uses: no template is called eval; there is: train',
      `tasks.c.issue: is missing: ${ex('issue.number')} needs a task that is linked to an issue`,
      'tasks.d.with.lr: unknown input; there are no inputs',
      'tasks.d.run[1]: no input is called inputs.lr; accepted: there are no inputs',
      'tasks.e.inputs.own.default: must be what matches [0-9] as a whole, not "x"',
      'tasks.e.with.own: must be what matches [0-9] as a whole, not "x"',
    ]);
  });

  it('says so where there is no file', () => {
    expect(problemsIn({ a: { uses: 'train' } }, null)).toEqual([
      'tasks.a.uses: the repository has no .github/standdown.yml that could define the template train',
    ]);
    expect(problemsIn({ a: { runs_on: 'local', run: ['x'] } }, null)).toEqual([]);
  });

  it('refuses expressions where none is filled in, and with values that are no strings', () => {
    expect(problemsIn({ a: { uses: ex('repository') }, b: { uses: 'train', with: { lr: 0.1 } } })).toEqual([
      'tasks.b.with.lr: must be a string (put it in quotes), not 0.1',
      expect.stringMatching(/^tasks\.a\.uses: must be written out: expressions are filled in only in/),
    ]);
  });
});
