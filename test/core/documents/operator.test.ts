import { describe, expect, it } from 'vitest';
import { matchesRepository, parseOperatorFile } from '../../../src/core/documents/index.ts';

const local = { kind: 'process', repositories: ['acme/*'] };
const agent = { kind: 'agent', repositories: ['acme/*'], url: 'https://lab-3:7433', token_env: 'LAB3_TOKEN' };

function problemsOf(value: unknown): string[] {
  const parsed = parseOperatorFile(value);
  return parsed.ok ? [] : parsed.problems.map(({ path, message }) => `${path}: ${message}`);
}

describe("the operator's file", () => {
  it.each([undefined, null, {}])('has no runner and all defaults when it says nothing', (value) => {
    expect(parseOperatorFile(value)).toEqual({
      ok: true,
      value: {
        runners: {},
        limits: {
          maxRunning: 64,
          maxRunningPerRepository: 16,
          massStop: 50,
          maxDataAgeSeconds: 600,
          unreachableMinutes: 60,
        },
        permissionsFloor: {},
        trustedApps: [],
        retention: { deliveriesDays: 14, logsDays: 30, eventsDays: 365 },
      },
    });
  });

  it('takes every key of a process runner', () => {
    const runner = {
      ...local,
      root: '/srv/work',
      user: 'runs',
      pass_env: ['HF_TOKEN'],
      max_running: 8,
      grace_seconds: 2,
    };
    const parsed = parseOperatorFile({ runners: { local: runner }, limits: { max_running: 2 } });
    expect(parsed).toMatchObject({
      ok: true,
      value: {
        runners: {
          local: {
            kind: 'process',
            repositories: ['acme/*'],
            root: '/srv/work',
            user: 'runs',
            passEnv: ['HF_TOKEN'],
            maxRunning: 8,
            graceSeconds: 2,
          },
        },
        limits: { maxRunning: 2, massStop: 50 },
      },
    });
  });

  it('takes every limit, floor and retention by its name', () => {
    const parsed = parseOperatorFile({
      limits: {
        ...{ max_running: 1, max_running_per_repository: 2, mass_stop: 3, max_data_age_seconds: 4.5 },
        unreachable_minutes: 5,
      },
      permissions_floor: { run: 'admin', retry: 'maintain', done: 'write', cancel: 'read', logs: 'none' },
      trusted_apps: ['renovate'],
      retention: { deliveries_days: 6, logs_days: 7, events_days: 8 },
    });
    expect(parsed).toEqual({
      ok: true,
      value: {
        runners: {},
        limits: {
          maxRunning: 1,
          maxRunningPerRepository: 2,
          massStop: 3,
          maxDataAgeSeconds: 4.5,
          unreachableMinutes: 5,
        },
        permissionsFloor: { run: 'admin', retry: 'maintain', done: 'write', cancel: 'read', logs: 'none' },
        trustedApps: ['renovate'],
        retention: { deliveriesDays: 6, logsDays: 7, eventsDays: 8 },
      },
    });
  });

  it('refuses kinds of runners that it does not have, and only that of them', () => {
    const runners = { k8s: { kind: 'kubernetes', namespace: 'batch', repositories: ['*'] }, x: { kind: 'ssh' }, y: 3 };
    expect(problemsOf({ runners })).toEqual([
      'runners.k8s.kind: the kind "kubernetes" is not available in this version; accepted: process, agent',
      'runners.x.kind: must be process or agent, not "ssh"',
      'runners.y: must be a mapping with a kind, not 3',
    ]);
  });

  it('takes every key of an agent', () => {
    const full = {
      ...agent,
      ...{ ca_file: '/etc/standdown/lab.pem', pass_env: ['HF_TOKEN'], max_running: 8, grace_seconds: 2 },
    };
    const parsed = parseOperatorFile({ runners: { lab: full, near: { ...agent, url: 'http://127.0.0.1:7433' } } });
    const defaults = { caFile: null, passEnv: [], maxRunning: null, graceSeconds: 10 };
    expect(parsed.ok && parsed.value.runners).toEqual({
      lab: {
        ...{ kind: 'agent', repositories: ['acme/*'], url: 'https://lab-3:7433', tokenEnv: 'LAB3_TOKEN' },
        ...{ caFile: '/etc/standdown/lab.pem', passEnv: ['HF_TOKEN'], maxRunning: 8, graceSeconds: 2 },
      },
      near: {
        ...{ kind: 'agent', repositories: ['acme/*'], url: 'http://127.0.0.1:7433', tokenEnv: 'LAB3_TOKEN' },
        ...defaults,
      },
    });
  });

  it.each([
    'http://lab-3:7433',
    'http://127.0.0.1.evil.example',
    'http://127.0.0.1@lab-3',
    'https://user:password@lab-3',
    'https://lab-3/path',
    'https://lab-3?query',
    'ftp://lab-3',
    'lab-3:7433',
    'https://lab-3:99999',
  ])('refuses %s as the address of an agent', (url) => {
    expect(problemsOf({ runners: { lab: { ...agent, url } } })).toEqual([
      expect.stringMatching(/^runners\.lab\.url: must be https:\/\/host:port, or http:\/\/ to this machine/),
    ]);
  });

  it('refuses an agent for all repositories, and keys of another kind', () => {
    expect(problemsOf({ runners: { lab: { ...agent, repositories: ['*'], root: '/srv' } } })).toEqual([
      expect.stringMatching(/^runners\.lab\.repositories\[0\]: must be owner\/name or owner\/\*/),
      expect.stringMatching(/^runners\.lab\.root: unknown key; accepted: kind, repositories, url, token_env/),
    ]);
  });

  it.each(['*', '*/*', 'acme', '!acme/x', 'acme/x/y', 'ac*/x'])(
    'refuses the pattern %s for a process runner',
    (pattern) => {
      expect(problemsOf({ runners: { local: { ...local, repositories: [pattern] } } })[0]).toMatch(
        /^runners\.local\.repositories\[0\]: must be owner\/name or owner\/\*/,
      );
    },
  );

  it('tells all problems at once', () => {
    expect(
      problemsOf({
        runners: JSON.parse('{"__proto__": {}, "local": {"kind": "process", "repositories": [], "shell": true}}'),
        limits: { max_running: 0 },
        permissions_floor: { run: 'owner' },
        retention: { logs_days: '30' },
      }),
    ).toEqual([
      'runners.local.repositories: must be a list of 1 or more, not a list of 0',
      'runners.local.shell: unknown key; accepted: kind, repositories, root, user, pass_env, max_running, grace_seconds',
      'limits.max_running: must be at least 1, not 0',
      'permissions_floor.run: must be one of none, read, triage, write, maintain, admin, not "owner"',
      'retention.logs_days: must be a number, not "30"',
      'runners.__proto__: "__proto__" is reserved and can\'t be a name',
    ]);
  });
});

describe('a repository pattern', () => {
  it.each([
    ['acme/widgets', 'acme/widgets', true],
    ['acme/widgets', 'ACME/Widgets', true],
    ['acme/widgets', 'acme/widgets2', false],
    ['acme/*', 'acme/anything.at-all', true],
    ['acme/*', 'acme2/x', false],
    ['acme/*', 'acme/x/y', false],
    ['acme/data-*', 'acme/data-', true],
    ['acme/data-*-raw', 'acme/data-2024-raw', true],
    ['acme/data-*-raw', 'acme/data-raw', false],
    ['acme/a*a', 'acme/a', false],
    ['acme/*ab*ab*', 'acme/xabxab', true],
    ['acme/*ab*ab*', 'acme/xab', false],
    ['acme/*aba*a', 'acme/aba', false],
    ['acme/a.c', 'acme/abc', false],
    ['*', 'any/thing', true],
    ['*', 'nonsense', false],
  ])('%s on %s: %s', (pattern, name, expected) => {
    expect(matchesRepository([pattern], name)).toBe(expected);
  });

  it('matches nothing where there are no patterns', () => {
    expect(matchesRepository([], 'acme/widgets')).toBe(false);
  });
});
