import { expect, test, vi } from 'vitest';
import type { Fault } from '../../../src/demo/github/index.ts';
import { ask, makeStarter, takeInstallationToken } from './support.ts';

const start = makeStarter();
const COMMENTS = '/repos/acme/widgets/issues/1/comments';
const READ = 'GET /repos/acme/widgets/issues/1';

async function startWith(fault: Fault) {
  const github = await start();
  github.addIssue('acme/widgets');
  const token = await takeInstallationToken(github);
  const clear = github.faults.add(fault);
  return { github, token, clear };
}

test.each([500, 503, 403, 404, 410])('an answer of %s can be had once, with nothing done', async (status) => {
  const { github, token } = await startWith({
    kind: 'answer',
    status,
    body: { message: 'no' },
    method: 'POST',
    times: 1,
  });
  const comment = { token, body: { body: 'hello' } };
  expect(await ask(github, `POST ${COMMENTS}`, comment)).toMatchObject({ status, json: { message: 'no' } });
  expect(github.comments('acme/widgets', 1)).toEqual([]);
  expect((await ask(github, `POST ${COMMENTS}`, comment)).status).toBe(201);
});

test('a redirect can be had with its location', async () => {
  const location = 'http://127.0.0.1:9/elsewhere';
  const { github, token } = await startWith({ kind: 'answer', status: 301, headers: { location } });
  const reply = await ask(github, READ, { token });
  expect([reply.status, reply.headers.get('location')]).toEqual([301, location]);
});

test('garbage can be had where JSON is expected', async () => {
  const { github, token } = await startWith({ kind: 'garbage' });
  expect((await ask(github, READ, { token })).text).toMatch(/^<!DOCTYPE html>/);
  github.faults.clear();
  github.faults.add({ kind: 'garbage', body: '{"state":', contentType: 'application/json' });
  await expect(ask(github, READ, { token })).rejects.toThrow(SyntaxError);
});

test('a write can succeed although its answer is a 502', async () => {
  const { github, token } = await startWith({ kind: 'lost_answer', times: 1 });
  expect((await ask(github, `POST ${COMMENTS}`, { token, body: { body: 'once' } })).status).toBe(502);
  expect(github.comments('acme/widgets', 1)).toMatchObject([{ body: 'once' }]);
});

test('an answer can be changed on its way, after what was asked for was done', async () => {
  const change = (body: unknown) => ({ ...(body as object), body: 'never' });
  const { github, token } = await startWith({ kind: 'change', change, times: 1 });
  const reply = await ask(github, `POST ${COMMENTS}`, { token, body: { body: 'once' } });
  expect(reply).toMatchObject({ status: 201, json: { body: 'never' } });
  expect(github.comments('acme/widgets', 1)).toMatchObject([{ body: 'once' }]);
});

test('a connection can drop before anything is done, or after', async () => {
  const { github, token } = await startWith({ kind: 'drop', times: 1 });
  github.faults.add({ kind: 'drop', after: true, times: 1 });
  const post = () => ask(github, `POST ${COMMENTS}`, { token, body: { body: 'hello' } });
  await expect(post()).rejects.toThrow('fetch failed');
  expect(github.comments('acme/widgets', 1)).toHaveLength(0);
  await expect(post()).rejects.toThrow('fetch failed');
  expect(github.comments('acme/widgets', 1)).toHaveLength(1);
});

test('a request can hang until the fault is cleared', async () => {
  const { github, token, clear } = await startWith({ kind: 'hang' });
  const hanging = ask(github, READ, { token }).catch((error: Error) => error.message);
  await vi.waitFor(() => expect(github.requests().at(-1)).toMatchObject({ status: null }));
  clear();
  expect(await hanging).toBe('fetch failed');
  expect((await ask(github, READ, { token })).status).toBe(200);
});

test('an answer can be late', async () => {
  const { github, token } = await startWith({ kind: 'delay', ms: 300, path: '/repos/acme/widgets/issues/1' });
  const answered: string[] = [];
  const late = ask(github, READ, { token }).then(({ status }) => answered.push(`late ${status}`));
  const quick = ask(github, 'GET /repos/acme/widgets', { token }).then(({ status }) =>
    answered.push(`quick ${status}`),
  );
  await Promise.all([late, quick]);
  expect(answered).toEqual(['quick 200', 'late 200']);
});

test('a secondary limit says when to come back', async () => {
  const { github, token } = await startWith({ kind: 'secondary_limit', retryAfterSeconds: 7 });
  const reply = await ask(github, READ, { token });
  expect(reply).toMatchObject({ status: 403, json: { message: expect.stringMatching(/secondary rate limit/) } });
  expect(reply.headers.get('retry-after')).toBe('7');
});

test.each([
  ['/repos/{owner}/{repo}/issues/{number}', 503],
  ['/repos/acme/widgets/issues/1', 503],
  ['/repos/*', 503],
  [/issues\/\d+$/, 503],
  ['/repos/{owner}/{repo}/issues', 200],
  ['/repos/acme/gadgets/*', 200],
])('a fault on %s makes the reading of an issue a %s', async (path, status) => {
  const { github, token } = await startWith({ kind: 'answer', status: 503, path });
  expect((await ask(github, READ, { token })).status).toBe(status);
});
