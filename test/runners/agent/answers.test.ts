/** Silence is not an answer, and neither is half of one: only what is whole says that there is no such run. */
import { describe, expect, it, vi } from 'vitest';
import { RunnerUnreachable } from '../../../src/engine/ports/runner.ts';
import { AGENT_TOKEN } from '../../support/agent.ts';
import { orderOf } from '../../support/process-runner.ts';
import {
  answering,
  json,
  runningAs,
  type ScriptedAgent,
  startScriptedAgent,
  statusAs,
  useScriptedAgent,
} from '../../support/scripted-agent.ts';

const HOUR_MS = 3_600_000;

const lab = useScriptedAgent();

const html = '<html><body>Sign in</body></html>';

it('an agent is heard of once it has answered, by a look or otherwise', async () => {
  expect(lab.control.profile.heard).toBe(false);
  lab.agent.answer = () => {};
  await expect(lab.control.inspect(['run_a'])).rejects.toThrow(RunnerUnreachable);
  expect(lab.control.profile.heard).toBe(false);
  lab.agent.answer = json({ run_ids: [] });
  await lab.control.list();
  expect(lab.control.profile.heard).toBe(true);
});

describe('what is no answer', () => {
  it.each<[string, ScriptedAgent['answer']]>([
    ['a status without active', json(statusAs({ active: undefined }))],
    ['a status without completed', json(statusAs({ completed: undefined }))],
    ['a status with active as an object', json(statusAs({ active: {} }))],
    ['a status with active as null', json(statusAs({ active: null }))],
    ['a status without the agent’s own part', json(statusAs({ agent: undefined }))],
    [
      'a run without the time of its start',
      json(statusAs({ active: [runningAs('run_b', { started_at: undefined })] })),
    ],
    ['a run in a state that is not known', json(statusAs({ active: [runningAs('run_b', { state: 'fine' })] }))],
    ['a run with an id that is none', json(statusAs({ active: [runningAs('../up')] }))],
    ['a living run among the completed', json(statusAs({ completed: [runningAs('run_b')] }))],
    ['a run that is told of twice', json(statusAs({ active: [runningAs('run_a'), runningAs('run_a')] }))],
    ['an empty list', json([])],
    ['null', json(null)],
    ['JSON that is cut short', answering(200, 'application/json', JSON.stringify(statusAs()).slice(0, -9))],
    ['a page of HTML', answering(200, 'text/html', html)],
    ['JSON that is called otherwise', answering(200, 'text/plain', JSON.stringify(statusAs()))],
    ['nothing at all', answering(200, 'application/json', '')],
    ['no content', answering(204, 'application/json', '')],
    ['an error inside', json({ error: { code: 'internal', message: 'its log says why' } }, 500)],
    ['a gateway’s error', answering(502, 'text/html', html)],
    ['a page that is not there', json({ error: { code: 'not_found', message: 'there is nothing here' } }, 404)],
    ['a token that is wrong', json({ error: { code: 'unauthorized', message: 'the bearer token is wrong' } }, 401)],
    [
      'an answer that breaks off',
      (_, response) => void response.writeHead(200, { 'content-length': 99 }).write('{', () => response.destroy()),
    ],
    ['a connection that breaks off', (request) => void request.socket.destroy()],
    [
      'a change to another protocol',
      (request) =>
        void request.socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: other\r\n\r\n'),
    ],
    ['silence', () => {}],
    ['an answer that does not end', (_, response) => void response.writeHead(200).write('{')],
  ])('%s', async (_what, answer) => {
    lab.agent.answer = answer;
    await expect(lab.control.inspect(['run_a'])).rejects.toThrow(RunnerUnreachable);
    expect(lab.control.profile.silent?.reason ?? 'twice').toBeTruthy();
    lab.agent.answer = json(statusAs());
    expect(await lab.control.inspect(['run_a'])).toEqual(new Map([['run_a', { state: 'no_record' }]]));
    expect(lab.control.profile.silent ?? null).toBeNull();
  });

  it('a redirect, and where it leads the token is not shown', async () => {
    const elsewhere = await startScriptedAgent();
    for (const status of [301, 302, 307, 308]) {
      lab.agent.answer = answering(status, 'application/json', '{}', { location: `${elsewhere.url}/status` });
      await expect(lab.control.inspect(['run_a'])).rejects.toThrow(/redirects are not followed/);
    }
    expect(elsewhere.requests).toEqual([]);
    await elsewhere.close();
  });

  it('of a start leaves open whether it started', async () => {
    const order = orderOf('run_a', ['true']);
    for (const answer of [json({ result: 'fine' }), json({}, 503), answering(200, 'text/html', html)]) {
      lab.agent.answer = answer;
      await expect(lab.control.start(order)).rejects.toThrow(RunnerUnreachable);
    }
    lab.agent.answer = json({ error: { code: 'body_too_large', message: 'at most 8388608 bytes' } }, 413);
    expect(await lab.control.start(order)).toMatchObject({
      result: 'refused',
      reason: expect.stringContaining('too long'),
    });
  });
});

it('shows its token to the agent, and in no error', async () => {
  lab.agent.answer = (request, response) =>
    json({ error: { message: `${request.headers.authorization} is wrong` } }, 403)(request, response);
  const error = await lab.control.inspect(['run_a']).catch((thrown: Error) => thrown);
  expect(lab.agent.requests).toEqual([{ path: '/status', authorization: `Bearer ${AGENT_TOKEN}` }]);
  expect(JSON.stringify([error, (error as Error).message, (error as Error).stack, lab.control.profile])).not.toContain(
    AGENT_TOKEN,
  );
  expect((error as Error).message).toBe('it answered 403: Bearer [redacted] is wrong');
});

it.each([
  ['behind', -HOUR_MS],
  ['ahead', HOUR_MS],
])('an agent whose clock is an hour %s tells times by ours', async (word, offset) => {
  const theirs = (ms: number) => new Date(Date.now() + offset + ms);
  const status = statusAs({
    active: [runningAs('run_a', { started_at: theirs(-10_000), last_output_at: theirs(-1_000) })],
  });
  Object.assign(status.agent as object, { now: theirs(0) });
  lab.agent.answer = json(status);
  const found = (await lab.control.inspect(['run_a'])).get('run_a');
  if (found?.state !== 'running') throw new Error('it is not running');
  expect(Math.abs(Date.now() - 10_000 - found.startedAt.getTime())).toBeLessThan(2_000);
  expect(Math.abs(Date.now() - 1_000 - (found.lastOutputAt?.getTime() ?? 0))).toBeLessThan(2_000);
  expect(lab.control.profile.notes).toEqual([
    `its clock is 3600 s ${word === 'ahead' ? 'ahead of' : 'behind'} ours: its times are told by ours`,
  ]);
});

it('news that still come do not end the silence of an agent that can say nothing of its runs', async () => {
  const unavailable = json({ error: { code: 'unavailable', message: 'its disk is away' } }, 503);
  const news = json({ next: 'a.0', run_ids: [] });
  lab.agent.answer = (request, response) =>
    (request.url?.startsWith('/changes') ? news : unavailable)(request, response);
  await expect(lab.control.inspect(['run_a'])).rejects.toThrow('its disk is away');
  const since = lab.control.profile.silent?.since;
  lab.control.onHint(() => {});
  const heard = () => lab.agent.requests.filter(({ path }) => path.startsWith('/changes')).length;
  await vi.waitFor(() => expect(heard()).toBeGreaterThan(2));
  expect(lab.control.profile.silent).toEqual({ since, reason: 'it answered 503: its disk is away' });
});

it('an agent that has no news, and does not wait for any, is not asked again at once', async () => {
  const askedAt: number[] = [];
  lab.agent.answer = (request, response) => {
    askedAt.push(performance.now());
    json({ next: 'a.0', run_ids: [] })(request, response);
  };
  lab.control.onHint(() => {});
  await vi.waitFor(() => expect(askedAt.length).toBeGreaterThan(3), { timeout: 5_000 });
  expect(askedAt[3]! - askedAt[1]!).toBeGreaterThan(400);
});

it('one call at a time finds out whether a silent agent is back, one cancel beside it, and no other waits for that', async () => {
  lab.agent.answer = () => {};
  await expect(lab.control.inspect(['run_a'])).rejects.toThrow('no answer in time');
  const trials = [lab.control.inspect(['run_a']), lab.control.cancel('run_a', 'term')];
  const all = Promise.allSettled(trials);
  const others = await Promise.allSettled([
    lab.control.cancel('run_a', 'term'),
    lab.control.log('run_a', 10),
    lab.control.list(),
  ]);
  expect(others.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  expect(lab.agent.requests.length).toBeLessThanOrEqual(3);
  expect((await all).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(lab.agent.requests).toHaveLength(3);
  lab.agent.answer = json({ run_ids: [] });
  expect(await lab.control.list()).toEqual([]);
});
