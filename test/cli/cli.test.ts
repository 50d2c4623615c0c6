import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CliDeps, runCli } from '../../src/cli/index.ts';
import type { BatchState } from '../../src/core/batch.ts';
import { serveHttp } from '../../src/web/index.ts';
import { makeBatch, makeRun, makeTask, startFakeApp, TOKEN } from '../web/fake-app.ts';

let app: Awaited<ReturnType<typeof startFakeApp>>;
beforeEach(async () => {
  app = await startFakeApp();
});
afterEach(() => app.close());

const DOCUMENT = 'repository: acme/widgets\nname: nightly\ntasks: {a: {runs_on: local, run: ["true"]}}\n';

async function cli(line: string, changes: Partial<CliDeps> = {}) {
  const out: string[] = [];
  const err: string[] = [];
  const ran: string[] = [];
  const exitCode = await runCli(line.split(' '), {
    version: '1.2.3',
    env: { STANDDOWN_URL: app.url, STANDDOWN_API_TOKEN: TOKEN },
    stdout: { write: (text) => out.push(text) },
    stderr: { write: (text) => err.push(text) },
    onInterrupt: () => () => {},
    readInput: async (path) => {
      if (path === 'gone.yml')
        throw Object.assign(new Error(`ENOENT: no such file or directory, open '${path}'`), { code: 'ENOENT' });
      return path === 'wrong.yml' ? 'tasks:\n  a:\n    run: x\n' : DOCUMENT;
    },
    serve: async () => ran.push('serve') && 0,
    demo: async ({ stay }) => ran.push(stay ? 'demo --stay' : 'demo') && 0,
    agent: async () => 0,
    attend: async () => 0,
    migrate: async () => ['1_init'],
    pollMs: 5,
    ...changes,
  });
  return { exitCode, out: out.join(''), err: err.join(''), ran };
}

function putBatch(state: BatchState, stuck = false) {
  app.world.batches = [makeBatch({ state, stuck })];
  const taskState = stuck ? 'blocked' : state === 'running' ? 'running' : 'done';
  app.world.tasks = [makeTask({ state: taskState, cause: stuck ? 'survivors' : 'run_succeeded', hold: null })];
}

describe('the command line', () => {
  it('submits a batch from a file, and reads the answer to people', async () => {
    putBatch('running');
    const ran = await cli('batch run nightly.yml');
    expect(ran).toMatchObject({ exitCode: 0, err: '' });
    expect(ran.out).toContain('acme/widgets nightly (batch_1): running, 1 running\n');
    expect(ran.out).toContain('train  task_1  #13    running  held: wait\n');
    expect(app.world.acts).toEqual([
      expect.objectContaining({ dryRun: false, document: expect.objectContaining({ name: 'nightly' }) }),
    ]);
  });

  it('hands the options of an agent on, and misses the one that it needs', async () => {
    const given: object[] = [];
    const agent: CliDeps['agent'] = async (flags) => given.push(flags) && 0;
    const line = 'agent --data-dir runs --pass-env A B --tls-cert c.pem --tls-key k.pem --root /srv --user runs';
    expect((await cli(line, { agent })).exitCode).toBe(0);
    expect((await cli('agent --data-dir runs --listen [::1]:80', { agent })).exitCode).toBe(0);
    expect(given).toEqual([
      {
        ...{ listen: '127.0.0.1:7433', dataDir: 'runs', passEnv: ['A', 'B'] },
        ...{ tlsCert: 'c.pem', tlsKey: 'k.pem', root: '/srv', user: 'runs' },
      },
      { listen: '[::1]:80', dataDir: 'runs' },
    ]);
    expect(await cli('agent', { agent })).toMatchObject({ exitCode: 2, err: expect.stringContaining('--data-dir') });
  });

  it('gives the answer itself with --json, wherever that stands', async () => {
    for (const line of ['batch run a.yml --json', '--json batch run a.yml', 'batch --json run a.yml']) {
      const ran = await cli(line);
      expect(ran).toMatchObject({ exitCode: 0, err: '' });
      expect(JSON.parse(ran.out)).toMatchObject({ id: 'batch_1', created_at: '2026-01-02T03:04:05.678Z' });
    }
  });

  it('plans without writing', async () => {
    app.world.waitingOn = 'needs fetch (ready)';
    const planned = await cli('batch run a.yml --dry-run');
    expect(planned.out).toBe(
      [
        'Nothing was written. It would be:',
        'acme/widgets nightly (-): running, 1 running',
        'TASK   ID  ISSUE  STATE    WHY',
        'train  -   #13    running  needs fetch (ready)',
        '',
      ].join('\n'),
    );
    expect(app.world.acts).toEqual([expect.objectContaining({ dryRun: true })]);
  });

  it('says on a dry run which stuck batch would make room', async () => {
    const readInput = async () => DOCUMENT.replace('nightly', 'stuck');
    expect((await cli('batch run a.yml --dry-run', { readInput })).out).toMatch(
      /\nIt would take the place of the batch batch_0, which is stuck\.\n$/,
    );
  });

  it.each([
    ['completed', false, 0],
    ['failed', false, 1],
    ['partial', false, 1],
    ['cancelled', false, 1],
    ['running', true, 4],
  ] as const)('waits for a batch that ends %s (stuck: %s) and exits with %d', async (state, stuck, exitCode) => {
    putBatch('running');
    const waiting = cli('batch run a.yml --wait');
    await expect.poll(() => app.world.acts.length).toBe(1);
    putBatch(state, stuck);
    const ran = await waiting;
    expect(ran.exitCode).toBe(exitCode);
    expect(ran.err).toMatch(/^batch batch_1 is submitted\ntrain: /);
    expect(ran.out).toContain(stuck ? 'running, stuck' : state);
  });

  it.each(['batch run a.yml', 'batch resume batch_1'])('takes no deadline where nobody waits: %s', async (line) => {
    const ran = await cli(`${line} --deadline-minutes 5`);
    expect(ran.err).toMatch(/--deadline-minutes was given alone; accepted is with --wait or --follow/);
    expect(ran.exitCode).toBe(2);
  });

  it('gives up waiting at its deadline, and the batch goes on', async () => {
    putBatch('running');
    const ran = await cli('batch run a.yml --wait --deadline-minutes 0.001 --json');
    expect(ran.exitCode).toBe(3);
    expect(JSON.parse(ran.err)).toMatchObject({ error: { code: 'deadline' } });
    expect(app.world.batches[0]?.state).toBe('running');
  });

  it('sits out a failing app while it waits', async () => {
    putBatch('running');
    const broken = app.world.batches;
    app.world.batches = null as never;
    const waiting = cli('batch run a.yml --wait');
    await expect.poll(() => app.logged.length).toBeGreaterThan(1);
    app.world.batches = broken;
    putBatch('completed');
    expect((await waiting).exitCode).toBe(0);
  });

  it('lists batches and shows one', async () => {
    putBatch('completed');
    const list = await cli('batch list --repository acme/widgets --state completed');
    expect(list.out).toMatch(
      /^BATCH +REPOSITORY +NAME +STATE +TASKS\nbatch_1 +acme\/widgets +nightly +completed +1 done\nMore: --cursor more\n$/,
    );
    expect(app.world.asked).toEqual([{ repositoryId: '7', state: 'completed', limit: 50 }]);
    expect((await cli('batch status batch_1')).out).toContain('train  task_1  #13    done   run_succeeded\n');
    expect((await cli('batch cancel batch_1')).exitCode).toBe(0);
  });

  it('shows a task with its runs, and its log as it is', async () => {
    app.world.tasks = [makeTask({ state: 'failed', cause: 'run_failed', actor: 'standdown', hold: null })];
    app.world.runs = [makeRun({ state: 'failed', exitCode: 3 })];
    expect((await cli('task show task_1')).out).toBe(
      'train (task_1): failed, run_failed, exit code 3\nissue acme/widgets#13\nrun 1: failed, exit code 3\n',
    );
    expect((await cli('task log task_1 --tail 9')).out).toBe('the last 9 bytes');
    app.world.runs = [makeRun({ state: 'failed', cause: 'timeout', signal: 'TERM' })];
    expect((await cli('task show task_1')).out).toContain('\nrun 1: failed, timeout, TERM\n');
    app.world.tasks = [makeTask({ state: 'cancelled', cause: 'api', actor: 'api', hold: null })];
    expect((await cli('task show task_1')).out).toMatch(/^train \(task_1\): cancelled, api\n/);
  });

  it.each([
    ['task cancel task_1', { verb: 'cancel' }],
    ['task retry task_1', { verb: 'retry' }],
    ['task done task_1', { verb: 'done' }],
    ['task skip task_1', { verb: 'skip' }],
    ['task release task_1', { verb: 'release' }],
    ['task hold task_1', { verb: 'hold' }],
    ['task hold task_1 --reason quota', { verb: 'hold', text: 'quota' }],
    ['task block task_1 why?', { verb: 'block', text: 'why?' }],
    ['task answer task_1 42', { verb: 'answer', text: '42' }],
    ['task link task_1 12', { link: 12 }],
    ['task unlink task_1', { unlink: true }],
  ])('%s', async (line, act) => {
    expect(await cli(line)).toMatchObject({ exitCode: 0, err: '' });
    expect(app.world.acts).toEqual([{ id: 'task_1', actor: 'api', ...act }]);
  });

  it('runs what belongs to this machine, and gives its exit code', async () => {
    expect(await cli('serve')).toMatchObject({ exitCode: 0, ran: ['serve'] });
    expect(await cli('demo')).toMatchObject({ exitCode: 0, ran: ['demo'] });
    expect(await cli('demo --stay')).toMatchObject({ exitCode: 0, ran: ['demo --stay'] });
    expect(await cli('migrate')).toMatchObject({ exitCode: 0, out: 'Applied: 1_init\n' });
    expect((await cli('migrate', { migrate: async () => [] })).out).toBe('The database is up to date.\n');
    expect((await cli('migrate --json')).out).toBe('{"applied":["1_init"]}\n');
    expect((await cli('sweep')).exitCode).toBe(0);
    expect(app.world.acts).toEqual(['sweep']);
  });

  it('prints the schema, its version and its help', async () => {
    expect(JSON.parse((await cli('schema')).out)).toMatchObject({ title: 'Standdown batch document' });
    expect(JSON.parse((await cli('schema repository')).out)).toMatchObject({ title: "Standdown repository's file" });
    expect(await cli('schema other')).toMatchObject({ exitCode: 2, out: '' });
    expect(await cli('--version')).toMatchObject({ exitCode: 0, out: '1.2.3\n' });
    const help = await cli('batch run --help');
    expect(help).toMatchObject({ exitCode: 0, err: '' });
    expect(help.out).toContain('--json');
  });
});

describe('an error of the command line', () => {
  it.each([
    ['batch run gone.yml', 2, "gone.yml can't be read: there is none"],
    ['batch list --state ended', 2, 'the query is not what this call takes'],
    ['task link task_1 zero', 2, "value 'zero' is invalid for argument 'issue'. it must be"],
    ['task fly task_1', 2, "unknown command 'fly'"],
    ['task show', 2, "missing required argument 'id'"],
    ['task cancel ', 2, 'an id is needed, not ""'],
    [
      'attend --task task_1',
      2,
      "missing required argument 'command': the command, with all that is its own, comes after --",
    ],
    [
      'attend --task task_1 sh -c true',
      2,
      "unknown option '-c': the command, with all that is its own, comes after --",
    ],
    ['batch run a.yml --fast', 2, "unknown option '--fast'"],
    ['batch', 2, 'a command is missing'],
    ['task show task_9', 5, 'no task has the id task_9; `standdown batch status` shows those of a batch'],
    ['batch status nightly', 5, 'no batch has the id nightly; `standdown batch list` shows them'],
    ['pause --runner lab', 2, 'runner: must be the name of a runner; there is: local'],
    ['task retry task_busy', 5, 'it is stopping since 12:00'],
    ['task cancel boom', 6, 'the request failed inside the app; its log says why'],
  ])('%s exits with %d and says: %s', async (line, exitCode, message) => {
    const plain = await cli(line);
    expect(plain).toMatchObject({ exitCode, out: '' });
    expect(plain.err).toContain(`standdown: ${message}`);
    const json = await cli(`${line} --json`);
    expect(json).toMatchObject({ exitCode, out: '' });
    expect(JSON.parse(json.err).error.message).toContain(message);
  });

  it('names every problem of a document with its place', async () => {
    const ran = await cli('batch run wrong.yml');
    expect(ran).toMatchObject({
      exitCode: 5,
      err: 'standdown: wrong.yml: the batch document is wrong\n  line 3, column 5: tasks.a.run: must be better\n',
    });
  });

  it('is a refusal without the right token', async () => {
    const env = { STANDDOWN_URL: app.url, STANDDOWN_API_TOKEN: 'wrong-token-of-length' };
    expect(await cli('sweep', { env })).toMatchObject({
      exitCode: 5,
      err: 'standdown: the bearer token is wrong (the CLI takes it from STANDDOWN_API_TOKEN)\n',
    });
  });

  it('says where it looked when nobody answers there, or somebody else does', async () => {
    const gone = await startFakeApp();
    await gone.close();
    const nobody = await cli('sweep', { env: { STANDDOWN_URL: gone.url } });
    expect(nobody).toMatchObject({ exitCode: 6 });
    expect(nobody.err).toBe(
      `standdown: can't reach the app at ${gone.url}: ECONNREFUSED (STANDDOWN_URL says where it is)\n`,
    );
    const mute = createServer((socket) => socket.once('data', () => socket.end())).listen(0, '127.0.0.1');
    await once(mute, 'listening');
    const { port } = mute.address() as AddressInfo;
    const unheard = await cli('sweep', { env: { STANDDOWN_URL: `http://127.0.0.1:${port}` } });
    mute.close();
    expect(unheard).toMatchObject({ exitCode: 6, err: expect.stringContaining(': it closed the connection (') });
    for (const [status, text] of [
      [200, '<html>'],
      [404, '<html>'],
      [200, '{"ok": true}'],
    ] as const) {
      const other = await serveHttp({
        app: { fetch: () => new Response(text, { status }) },
        host: '127.0.0.1',
        port: 0,
      });
      const ran = await cli('task show task_1', { env: { STANDDOWN_URL: `http://127.0.0.1:${other.port}` } });
      await other.close(0);
      expect(ran).toMatchObject({ exitCode: 6, out: '' });
    }
  });

  it('never sends the token elsewhere', async () => {
    const heard: (string | null)[] = [];
    const thief = await serveHttp({
      app: {
        fetch: (request) => {
          heard.push(request.headers.get('authorization'));
          return new Response('{}');
        },
      },
      host: '127.0.0.1',
      port: 0,
    });
    const location = `http://127.0.0.1:${thief.port}/`;
    const liar = await serveHttp({
      app: { fetch: () => new Response(null, { status: 307, headers: { location } }) },
      host: '127.0.0.1',
      port: 0,
    });
    const env = { STANDDOWN_URL: `http://127.0.0.1:${liar.port}`, STANDDOWN_API_TOKEN: TOKEN };
    expect((await cli('sweep', { env })).exitCode).toBe(6);
    await Promise.all([liar.close(0), thief.close(0)]);
    expect(heard).toEqual([]);
  });

  it('names what is wrong with the environment', async () => {
    const ran = await cli('sweep', { env: { STANDDOWN_URL: 'nowhere' } });
    expect(ran.exitCode).toBe(2);
    expect(ran.err).toContain('STANDDOWN_URL: must be an http or https URL');
  });
});
