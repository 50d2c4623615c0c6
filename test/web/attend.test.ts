/** The calls of whoever attends a task. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { anAttendant } from '../support/attendant.ts';
import { startFakeApp, TOKEN } from './fake-app.ts';

let app: Awaited<ReturnType<typeof startFakeApp>>;
beforeEach(async () => {
  app = await startFakeApp();
});
afterEach(() => app.close());

const session = 'a-session-of-16-and-more';
const answerOf = async (response: Response) => ({ status: response.status, body: await response.json() });
const post = async (path: string, body: unknown) => answerOf(await app.call('POST', `/api/v1${path}`, { body }));

describe('a claim', () => {
  it('says who attends, and is given its run', async () => {
    const by = anAttendant({ session });
    expect(await post('/tasks/task_1/attend', by)).toEqual({
      status: 201,
      body: {
        ...{ run_id: 'run_1', number: 1, grace_seconds: 2.5, lease_seconds: 900 },
        env: { STANDDOWN_RUN_ID: 'run_1' },
      },
    });
    const { pid_namespace: pidNamespace, session: _, ...process } = by;
    expect(app.world.acts).toEqual([{ id: 'task_1', session, attendant: { ...process, pidNamespace } }]);
  });

  it('is refused with the reason, and where GitHub is silent with that', async () => {
    const status = async (id: string) => (await post(`/tasks/${id}/attend`, anAttendant())).status;
    expect([await status('task_busy'), await status('task_2'), await status('dark')]).toEqual([409, 404, 503]);
    expect((await post('/tasks/closed/attend', anAttendant())).body).toMatchObject({ error: { code: 'issue_closed' } });
  });

  it('is given up where whoever made it is gone', async () => {
    const leaving = new AbortController();
    const init = { method: 'POST', body: JSON.stringify(anAttendant()), signal: leaving.signal };
    const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };
    const asked = fetch(`${app.url}/api/v1/tasks/task_slow/attend`, { ...init, headers });
    await expect.poll(() => app.world.acts).toEqual([{ id: 'task_slow' }]);
    leaving.abort();
    await expect(asked).rejects.toThrow();
    await expect.poll(() => app.world.acts).toEqual([{ id: 'task_slow' }, 'nobody listens']);
  });

  it.each([
    [{ session: 'short' }, 'session', /must be 16 to 64 letters/],
    [{ session: "'; DROP TABLE attended_runs; --" }, 'session', /must be 16 to 64/],
    [{ host: 'two words' }, 'host', /must be the name of a machine/],
    [{ host: '\u202e' }, 'host', /must be the name of a machine/],
    [{ boot: 'today' }, 'boot', /must be an id as/],
    [{ pid: 0 }, 'pid', /must be/],
    [{ pid: 1.5 }, 'pid', /must be/],
    [{ pid: 4_194_305 }, 'pid', /must be/],
    [{ pid: '12' }, 'pid', /must be/],
    [{ start: '-1' }, 'start', /must be digits/],
    [{ pid_namespace: 'pid:[1]' }, 'pid_namespace', /must be digits/],
    [{ pid: undefined }, 'pid', /is missing/],
    [{ run_id: 'run_1' }, 'run_id', /unknown key/],
  ])('of %o is told what is wrong with it, and nothing else', async (wrong, path, message) => {
    const { status, body } = await post('/tasks/task_1/attend', anAttendant(wrong));
    const problems = [{ path, message: expect.stringMatching(message) }];
    expect({ status, body }).toMatchObject({ status: 400, body: { error: { code: 'bad_request', problems } } });
    expect(app.world.acts).toEqual([]);
  });
});

describe('news', () => {
  const ask = async (query: string, run = 'run_1') =>
    answerOf(await app.call('GET', `/api/v1/runs/${run}/attend?${query}`));

  it('tell the session what to do now', async () => {
    expect(await ask(`session=${session}`)).toEqual({
      ...{ status: 200, body: { state: 'running', signal: null, grace_seconds: null, why: null } },
    });
    app.world.news = { state: 'stopping', signal: 'KILL', graceSeconds: 0.5, why: 'acme/widgets#12 was closed by ann' };
    expect((await ask(`session=${session}&wait_seconds=0`)).body).toEqual({
      ...{ state: 'stopping', signal: 'KILL', grace_seconds: 0.5, why: 'acme/widgets#12 was closed by ann' },
    });
    app.world.news = { state: 'over', graceSeconds: 10, why: 'run 1 of train was given up' };
    expect((await ask(`session=${session}`)).body).toMatchObject({ state: 'over', signal: null });
    expect(app.world.acts).toMatchObject([{ waitMs: 20_000 }, { waitMs: 0 }, { waitMs: 20_000 }]);
  });

  it('are for that session alone', async () => {
    expect((await ask(`session=${session}`, 'run_busy')).status).toBe(409);
    expect((await ask(`session=${session}`, 'run_2')).status).toBe(404);
  });

  it.each(['', 'session=', `session=${session}&session=${session}`, `session=${session}&wait_seconds=21`])(
    'are not for ?%s',
    async (query) => {
      expect(await ask(query)).toMatchObject({ status: 400, body: { error: { problems: [expect.anything()] } } });
      expect(app.world.acts).toEqual([]);
    },
  );
});

describe('an end', () => {
  const tell = (body: object, run = 'run_1') => post(`/runs/${run}/attend/end`, { session, ...body });

  it('is taken with how long ago it was, and what survived', async () => {
    const told = { signal: 'KILL', survivors: [12, 13], killed: true, ended_seconds_ago: 1.5 };
    expect(await tell(told)).toEqual({ status: 202, body: { accepted: true } });
    expect((await tell({ exit_code: 255 })).status).toBe(202);
    expect(app.world.acts).toEqual([
      { id: 'run_1', session, exitCode: null, signal: 'KILL', survivors: [12, 13], killed: true, agoMs: 1500 },
      { id: 'run_1', session, exitCode: 255, signal: null, survivors: [], killed: null, agoMs: 0 },
    ]);
    expect([(await tell(told, 'run_busy')).status, (await tell(told, 'run_2')).status]).toEqual([409, 404]);
  });

  it.each([
    [{}, '', /must hold an exit_code or a signal/],
    [{ exit_code: 1, signal: 'TERM' }, '', /must hold an exit_code or a signal/],
    [{ exit_code: 256 }, 'exit_code', /must be/],
    [{ exit_code: '0' }, 'exit_code', /must be/],
    [{ signal: 'SIGTERM' }, 'signal', /must be the name of a signal without SIG/],
    [{ exit_code: 0, survivors: [0] }, 'survivors[0]', /must be/],
    [{ exit_code: 0, survivors: Array.from({ length: 1_001 }, () => 1) }, 'survivors', /must be/],
    [{ exit_code: 0, ended_seconds_ago: -1 }, 'ended_seconds_ago', /must be/],
    [{ exit_code: 0, ended_seconds_ago: 1e300 }, 'ended_seconds_ago', /must be/],
  ])('of %o is told what is wrong with it, and nothing else', async (wrong, path, message) => {
    const problems = [{ path, message: expect.stringMatching(message) }];
    expect(await tell(wrong)).toMatchObject({ status: 400, body: { error: { problems } } });
    expect(app.world.acts).toEqual([]);
  });
});
