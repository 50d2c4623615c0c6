import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { ConfigError, readClientConfig, readConfig, secretsOf } from '../../../src/app/config/index.ts';
import { makeCertificate } from '../../support/certificate.ts';

const pem = generateKeyPairSync('rsa', { modulusLength: 2048 })
  .privateKey.export({ type: 'pkcs1', format: 'pem' })
  .toString();
const app = { APP_ID: '123', PRIVATE_KEY: pem, WEBHOOK_SECRET: 'a secret of our own' };
const token = { GITHUB_TOKEN: 'ghp_secretsecret', GITHUB_REPO: 'acme/widgets' };

const dir = mkdtempSync(join(tmpdir(), 'standdown-config-'));
afterAll(() => rmSync(dir, { recursive: true }));

/** Real files, so that what is missing is missing as the system says it. */
function readFiles(files: Record<string, string> = {}) {
  const real = new Map<string, string>();
  for (const [path, text] of Object.entries(files)) {
    real.set(resolve(path), join(dir, basename(path)));
    writeFileSync(join(dir, basename(path)), text);
  }
  return (path: string) => readFileSync(real.get(resolve(path)) ?? join(dir, 'missing', path), 'utf8');
}

function read(env: Record<string, string>, files?: Record<string, string>) {
  return readConfig(env, readFiles(files));
}

function problemsOf(env: Record<string, string>, files?: Record<string, string>): string[] {
  try {
    read(env, files);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.problems.map(({ key, message }) => `${key}: ${message}`);
  }
}

describe('the configuration', () => {
  it('needs nothing: without credentials it is for setting up', () => {
    expect(read({})).toMatchObject({
      credentials: { mode: 'setup' },
      http: { host: 'localhost', port: 3000 },
      url: 'http://localhost:3000',
      databaseUrl: 'file:./data/standdown.db',
      dataDir: resolve('data'),
      apiToken: null,
      sweepIntervalSeconds: 30,
      githubApiUrl: 'https://api.github.com',
      log: { level: 'info', format: 'json' },
      operator: { runners: {}, limits: { maxRunning: 64 } },
      operatorPath: null,
      warnings: [],
    });
  });

  it('is frozen in all its depth', () => {
    const config = read(app, { 'standdown.yml': 'runners: {l: {kind: process, repositories: [acme/*]}}' });
    expect(Object.isFrozen(config)).toBe(true);
    expect(Object.isFrozen(config.credentials)).toBe(true);
    expect(Object.isFrozen(config.operator.runners.l?.repositories)).toBe(true);
  });

  it.each([
    ['as it is', pem],
    ['with literal line ends', pem.replaceAll('\n', '\\n')],
    ['in base64', Buffer.from(pem).toString('base64')],
    ['with spaces for line ends', pem.trim().replaceAll('\n', ' ')],
  ])('takes a private key %s', (_how, key) => {
    const { credentials } = read({ ...app, PRIVATE_KEY: key });
    expect(credentials).toMatchObject({ mode: 'app', appId: 123, webhookSecret: 'a secret of our own' });
    expect(credentials.mode === 'app' && credentials.privateKey.trim().split('\n')).toEqual(pem.trim().split('\n'));
  });

  it('takes a private key from a file', () => {
    const { PRIVATE_KEY: _, ...rest } = app;
    const { credentials } = read({ ...rest, PRIVATE_KEY_PATH: 'keys/app.pem' }, { 'keys/app.pem': pem });
    expect(credentials).toMatchObject({ mode: 'app', privateKey: pem });
    expect(problemsOf({ ...rest, PRIVATE_KEY_PATH: 'keys/app.pem' })).toEqual([
      expect.stringMatching(/^PRIVATE_KEY_PATH: must name a file that can be read: ENOENT/),
    ]);
  });

  it('drives one repository with a token', () => {
    expect(read(token).credentials).toEqual({ mode: 'token', token: 'ghp_secretsecret', repository: 'acme/widgets' });
  });

  it('acts on every key of the operator file', () => {
    const file =
      'limits: {max_running: 2, unreachable_minutes: 9}\npermissions_floor: {logs: write}\ntrusted_apps: [a]\nretention: {logs_days: 3}';
    expect(read(app, { 'standdown.yml': file }).warnings).toEqual([]);
  });

  it('prefers the App to the token, and says so', () => {
    const config = read({ ...app, ...token });
    expect(config.credentials.mode).toBe('app');
    expect(config.warnings).toEqual([expect.stringMatching(/the App wins$/)]);
  });

  it('refuses a sweep that is off where only the sweep sees anything', () => {
    expect(problemsOf({ ...token, RECONCILIATION_INTERVAL_SECONDS: '0' })).toEqual([
      'RECONCILIATION_INTERVAL_SECONDS: must be more than 0, not 0: with a token only the sweep sees anything',
    ]);
    expect(read({ ...app, RECONCILIATION_INTERVAL_SECONDS: '0' }).sweepIntervalSeconds).toBe(0);
  });

  it.each([
    ['WEBHOOK_SECRET', { APP_ID: '123', PRIVATE_KEY: pem }],
    ['WEBHOOK_SECRET', { ...app, WEBHOOK_SECRET: 'development' }],
    ['WEBHOOK_SECRET', { ...app, WEBHOOK_SECRET: '  ' }],
    ['PRIVATE_KEY', { APP_ID: '123', WEBHOOK_SECRET: 'x' }],
    ['APP_ID', { PRIVATE_KEY: pem, WEBHOOK_SECRET: 'x' }],
    ['GITHUB_REPO', { GITHUB_TOKEN: 'x' }],
    ['GITHUB_TOKEN', { GITHUB_REPO: 'acme/widgets' }],
  ])('refuses half of the credentials, naming %s', (key, env) => {
    expect(problemsOf(env as Record<string, string>)).toEqual([expect.stringContaining(`${key}: is `)]);
  });

  it('tells every problem of environment and file in one error, without any secret', () => {
    const env = {
      APP_ID: 'abc',
      PRIVATE_KEY: 'hunter2-not-a-key',
      WEBHOOK_SECRET: 'development',
      PORT: '70000',
      HOST: 'a b',
      LOG_LEVEL: 'loud',
      LOG_FORMAT: 'xml',
      DATABASE_URL: 'mysql://root:hunter2@db/x',
      STANDDOWN_API_TOKEN: 'hunter2 with spaces',
      STANDDOWN_URL: 'ftp://x',
      RECONCILIATION_INTERVAL_SECONDS: '-1',
      GHE_PROTOCOL: 'gopher',
      STANDDOWN_CONFIG: 'ops.yml',
    };
    const problems = problemsOf(env, { 'ops.yml': 'runners:\n  k: {kind: slurm}\nlimits:\n  max_runing: 3\n' });
    expect(problems.map((problem) => problem.split(':')[0]).sort()).toEqual(
      [
        ...['APP_ID', 'DATABASE_URL', 'GHE_PROTOCOL', 'HOST', 'LOG_FORMAT', 'LOG_LEVEL', 'PORT', 'PRIVATE_KEY'],
        ...['RECONCILIATION_INTERVAL_SECONDS', 'STANDDOWN_API_TOKEN', 'STANDDOWN_URL', 'WEBHOOK_SECRET'],
        ...['ops.yml', 'ops.yml'],
      ].sort(),
    );
    expect(problems).toContain('PORT: must be a whole number from 0 to 65535, not "70000"');
    expect(problems).toContain('LOG_FORMAT: must be one of json, pretty, not "xml"');
    expect(problems).toContainEqual(
      expect.stringContaining('ops.yml: line 4, column 3: limits.max_runing: unknown key'),
    );
    expect(problems).toContainEqual(
      expect.stringContaining('ops.yml: line 2, column 7: runners.k.kind: the kind "slurm"'),
    );
    expect(problems.join('\n')).not.toContain('hunter2');
  });

  it('refuses an operator file that was named and is not there, and broken YAML with its place', () => {
    expect(problemsOf({ STANDDOWN_CONFIG: 'gone.yml' })).toEqual([
      'STANDDOWN_CONFIG: must name a file that can be read: there is no "gone.yml"',
    ]);
    expect(problemsOf({}, { 'standdown.yml': 'runners: [' })[0]).toMatch(/^\.\/standdown\.yml: line \d+, column \d+: /);
  });

  it('says why a file that is there can not be read', () => {
    const problems = () => readConfig({}, () => readFileSync(dir, 'utf8'));
    expect(problems).toThrow(/STANDDOWN_CONFIG: ".*standdown.yml" can't be read: EISDIR/);
  });

  it('tells where the app is found, for any host it listens on', () => {
    expect(read({ HOST: '0.0.0.0', PORT: '8080' }).url).toBe('http://localhost:8080');
    expect(read({ HOST: '::1' }).url).toBe('http://[::1]:3000');
    expect(readClientConfig({ STANDDOWN_URL: 'https://standdown.example/base/', APP_ID: 'x' })).toEqual({
      url: 'https://standdown.example/base',
      apiToken: null,
    });
    expect(() => readClientConfig({ STANDDOWN_URL: 'nowhere' })).toThrow(ConfigError);
  });

  it('speaks to a GitHub of its own', () => {
    expect(read({ GHE_HOST: '127.0.0.1:4000', GHE_PROTOCOL: 'http' }).githubApiUrl).toBe(
      'http://127.0.0.1:4000/api/v3',
    );
    expect(read({ GHE_HOST: 'ghe.example' }).githubApiUrl).toBe('https://ghe.example/api/v3');
  });

  it('knows all its secrets', () => {
    const config = read({
      ...app,
      STANDDOWN_API_TOKEN: 'a-long-enough-token',
      DATABASE_URL: 'postgresql://me:p%40ss@db/x',
    });
    expect(secretsOf(config)).toEqual([pem.trim(), app.WEBHOOK_SECRET, 'a-long-enough-token', 'p%40ss', 'p@ss']);
  });
});

describe('the token of an agent', () => {
  const lab = '{kind: agent, repositories: [acme/*], url: "https://lab", token_env: LAB}';
  const file = { 'standdown.yml': `runners: {lab: ${lab}}` };

  it('is taken from the variable that the file names, and is a secret', () => {
    const config = read({ LAB: 'the-token-of-lab' }, file);
    expect(config.agentTokens).toEqual({ lab: 'the-token-of-lab' });
    expect(secretsOf(config)).toEqual(['the-token-of-lab']);
  });

  it('is missed by its name, and is not shown where it is wrong', () => {
    expect(problemsOf({}, file)).toEqual(['LAB: is missing: must be the token of the agent that runner lab is']);
    expect(problemsOf({ LAB: 'two words' }, file)).toEqual([
      'LAB: must be printable ASCII without spaces (it travels in a header)',
    ]);
  });
});

describe('the authority of an agent', () => {
  const lab =
    '{kind: agent, repositories: [acme/*], url: "https://lab", token_env: LAB, ca_file: /etc/standdown/lab.pem}';
  const file = { 'standdown.yml': `runners: {lab: ${lab}}` };
  const { cert, key } = makeCertificate();

  it('is read from the file that the runner names', () => {
    const config = read({ LAB: 'the-token-of-lab' }, { ...file, '/etc/standdown/lab.pem': cert });
    expect(config.agentAuthorities).toEqual({ lab: cert });
  });

  it('is missed with all other problems', () => {
    expect(problemsOf({}, file)).toEqual([
      'LAB: is missing: must be the token of the agent that runner lab is',
      './standdown.yml: runners.lab.ca_file: "/etc/standdown/lab.pem" can\'t be read: ENOENT',
    ]);
  });

  it('is a certificate, and nothing else', () => {
    expect(problemsOf({ LAB: 'the-token-of-lab' }, { ...file, '/etc/standdown/lab.pem': key })).toEqual([
      './standdown.yml: runners.lab.ca_file: "/etc/standdown/lab.pem" must hold a certificate in PEM',
    ]);
  });
});

describe('what a runner may pass on', () => {
  const lab = '{kind: agent, repositories: [acme/*], url: "https://lab", token_env: LAB, pass_env: [DATABASE_URL]}';
  const withLocal = (names: string) => ({
    'standdown.yml': `runners: {lab: ${lab}, local: {kind: process, repositories: [acme/*], pass_env: ${names}}}`,
  });
  const refusal = (name: string) =>
    `./standdown.yml: runners.local.pass_env: ${name} is a secret of Standdown's own and is passed to nobody`;

  it.each(['PRIVATE_KEY', 'WEBHOOK_SECRET', 'WEBHOOK_PROXY_URL', 'DATABASE_URL', 'LAB'])(
    'is not %s, where that is the machine of the app',
    (name) => {
      expect(problemsOf({ ...app, LAB: 'the-token-of-lab' }, withLocal(`[HF_TOKEN, ${name}]`))).toEqual([
        refusal(name),
      ]);
    },
  );

  it('is a token for GitHub, unless the app is driven by it', () => {
    const file = withLocal('[GITHUB_TOKEN]');
    expect(problemsOf({ ...app, LAB: 'the-token-of-lab', GITHUB_TOKEN: 'ghp_for_runs' }, file)).toEqual([]);
    expect(problemsOf({ ...token, LAB: 'the-token-of-lab' }, file)).toEqual([refusal('GITHUB_TOKEN')]);
  });
});
