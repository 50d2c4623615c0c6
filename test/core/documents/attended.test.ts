/** `runs_on: attended`: tasks that only people run, in every document. */
import { describe, expect, it } from 'vitest';
import {
  batchDocumentJsonSchema,
  parseBatchDocument,
  parseOperatorFile,
  repositoryFileJsonSchema,
  resolveBatch,
} from '../../../src/core/documents/index.ts';
import { readRepositoryFile } from '../../../src/core/documents/repository-file.ts';

const context = { repository: 'acme/widgets', issueUrl: (number: number) => `https://github.com/${number}` };

function resolved(train: object, templates = '') {
  const draft = parseBatchDocument({ repository: 'acme/widgets', name: 'nightly', tasks: { train } });
  if (!draft.ok) return draft;
  const file = readRepositoryFile(templates);
  if (!file.ok) return file;
  return resolveBatch(draft.value, file.value, context);
}

const verify = { run: ['check'] };
/** What only a runner can heed. */
const stray = { env: { A: 'b' }, env_from: ['TOKEN'], stall_minutes: 5, working_directory: 'models' };
const STRAY_KEYS = Object.keys(stray);
const TEMPLATES = `
tasks:
  people: { runs_on: attended }
  rich:
    runs_on: local
    run: [train]
    ${Object.entries(stray)
      .map(([key, value]) => `${key}: ${JSON.stringify(value)}`)
      .join('\n    ')}
    timeout_minutes: 5
    grace_seconds: 7
  machine: { runs_on: local, run: [train], verify: { run: [check] } }
`;

describe('a task that only people run', () => {
  it('needs no program, and may name one', () => {
    expect(resolved({ runs_on: 'attended' })).toMatchObject({ value: { tasks: [{ spec: { run: [] } }] } });
    expect(resolved({ runs_on: 'attended', run: ['train'] })).toMatchObject({ ok: true });
    expect(resolved({ uses: 'people' }, TEMPLATES)).toMatchObject({
      value: { tasks: [{ spec: { runsOn: 'attended', run: [] } }] },
    });
    expect(resolved({ uses: 'machine', runs_on: 'attended', verify: null }, TEMPLATES)).toMatchObject({ ok: true });
  });

  it.each([
    ['of its own', { runs_on: 'attended', verify }, ''],
    ['of its template', { uses: 'machine', runs_on: 'attended' }, TEMPLATES],
    ['beside its template', { uses: 'people', verify }, TEMPLATES],
  ])('has no verify stage %s: there is no runner for it', (_, task, templates) => {
    const message = 'must not be there where runs_on is attended: there is no runner to run it; accepted: null';
    expect(resolved(task, templates)).toEqual({ ok: false, problems: [{ path: 'tasks.train.verify', message }] });
  });

  it('is told of where the file is wrong, with line and column', () => {
    const file = readRepositoryFile('tasks:\n  people:\n    runs_on: attended\n    verify: { run: [check] }\n');
    expect(file).toMatchObject({ ok: false, problems: [{ path: 'tasks.people.verify', line: 4 }] });
  });
});

describe('what only a runner can heed', () => {
  it('is refused where it is written at a task that only people run, each key with what is accepted', () => {
    const answer = resolved({ runs_on: 'attended', ...stray });
    if (answer.ok) throw new Error('it was taken');
    expect(answer.problems.map(({ path }) => path)).toEqual(STRAY_KEYS.map((key) => `tasks.train.${key}`));
    const start = 'must not be there where runs_on is attended:';
    expect(answer.problems.map(({ message }) => message)).toEqual([
      `${start} the command has the environment of whoever attends it; accepted: {}`,
      `${start} there is no runner to pass anything; accepted: []`,
      `${start} its output is not seen; accepted: 0`,
      `${start} the command starts where whoever attends it is; accepted: null`,
    ]);
  });

  it('is refused beside a template that only people run, and in the template itself, with its line', () => {
    expect(resolved({ uses: 'people', stall_minutes: 5 }, TEMPLATES)).toMatchObject({
      problems: [{ path: 'tasks.train.stall_minutes' }],
    });
    expect(readRepositoryFile('tasks:\n  people:\n    runs_on: attended\n    env: { A: b }\n')).toMatchObject({
      problems: [{ path: 'tasks.people.env', line: 4 }],
    });
    const named = 'batches:\n  nightly:\n    tasks:\n      a: { runs_on: attended, working_directory: models }\n';
    expect(readRepositoryFile(named)).toMatchObject({
      problems: [{ path: 'batches.nightly.tasks.a.working_directory', line: 4 }],
    });
  });

  it('is left out where it comes from a template of a runner; the rest of that counts', () => {
    expect(resolved({ uses: 'rich', runs_on: 'attended' }, TEMPLATES)).toMatchObject({
      value: {
        tasks: [
          {
            spec: {
              ...{ env: {}, envFrom: [], stallMinutes: 0, workingDirectory: null },
              ...{ timeoutMinutes: 5, graceSeconds: 7 },
            },
          },
        ],
      },
    });
  });

  it('may be written as nothing', () => {
    const nothing = { env: {}, env_from: [], stall_minutes: 0, working_directory: null };
    expect(resolved({ uses: 'rich', runs_on: 'attended', ...nothing }, TEMPLATES)).toMatchObject({ ok: true });
  });

  it('does not go for what holds for any run', () => {
    const heeded = {
      ...{ issue: 12, needs: [], name: 'Label', priority: 1, timeout_minutes: 5, grace_seconds: 7, overlap: 'allowed' },
      ...{ retry: { attempts: 2 }, evidence: { branch: 'work' } },
    };
    expect(resolved({ runs_on: 'attended', ...heeded })).toMatchObject({ ok: true });
  });
});

describe('a task of any runner', () => {
  it('still needs a program, wherever its runner comes from', () => {
    const message = 'is missing: must be a list of strings, the program first, never a shell line';
    const problems = (task: object) => resolved(task, TEMPLATES);
    expect(problems({ uses: 'people', runs_on: 'local' })).toEqual({
      ...{ ok: false, problems: [{ path: 'tasks.train.run', message }] },
    });
    expect(problems({ runs_on: 'local' })).toMatchObject({
      problems: [{ path: 'tasks.train.run', message: `${message}, unless the task uses a template` }],
    });
    expect(readRepositoryFile('tasks:\n  machine: { runs_on: local }\n')).toMatchObject({
      problems: [{ path: 'tasks.machine.run', message }],
    });
  });
});

it('the name is no runner to configure', () => {
  const local = { kind: 'process', repositories: ['acme/*'] };
  const file = parseOperatorFile({ runners: { local, attended: local } });
  expect(file).toMatchObject({
    ...{
      ok: false,
      problems: [{ path: 'runners.attended', message: expect.stringContaining('is no runner to configure') }],
    },
  });
  expect(parseOperatorFile({ runners: { local } })).toMatchObject({ ok: true });
});

it('the schemas say when a program may be left out', () => {
  const attended = { properties: { runs_on: { const: 'attended' } } };
  expect(JSON.stringify(repositoryFileJsonSchema())).toContain(JSON.stringify(attended).slice(1, -1));
  expect(JSON.stringify(batchDocumentJsonSchema())).toContain(JSON.stringify(attended).slice(1, -1));
});
