import { describe, expect, test } from 'vitest';
import type { StandInGitHub } from '../../../src/demo/github/index.ts';
import { expectNoViolations, makeOpenApiCheck } from '../../support/openapi/index.ts';
import { ask, makeStarter, takeInstallationToken } from './support.ts';

const startUnchecked = makeStarter(() => {});

async function start(): Promise<{ github: StandInGitHub; token: string }> {
  const github = await startUnchecked();
  github.addIssue('acme/widgets');
  return { github, token: await takeInstallationToken(github) };
}

describe('it is noticed', () => {
  test.each([
    [
      'an undeclared key of a body',
      'POST',
      '/issues/1/comments',
      { body: 'a', in_reply_to: 1 },
      'body.in_reply_to is not declared',
    ],
    [
      'an undeclared key deep in a body',
      'POST',
      '/issues',
      { title: 'a', labels: [{ nam: 'x' }] },
      'body.labels[0].nam is not declared',
    ],
    ['a value of the wrong type', 'POST', '/issues/1/comments', { body: 7 }, 'body/body must be string'],
    [
      'a value that is not among those allowed',
      'PATCH',
      '/issues/1',
      { state: 'shut' },
      'body/state must be equal to one of the allowed values',
    ],
    ['a body that is missing', 'POST', '/issues/1/comments', undefined, 'the body is missing'],
    [
      'a query parameter that is not declared',
      'GET',
      '/issues?author=ann',
      undefined,
      'query parameter author is not declared',
    ],
    [
      'a query parameter of the wrong type',
      'GET',
      '/issues?per_page=many',
      undefined,
      'query parameter per_page must be integer',
    ],
    [
      'a time that is none',
      'GET',
      '/issues?since=yesterday',
      undefined,
      'query parameter since must match format "date-time"',
    ],
    [
      'an operation that the stand-in does not know',
      'GET',
      '/milestones',
      undefined,
      'this operation is not implemented',
    ],
  ])('%s', async (_, method, path, body, problem) => {
    const { github, token } = await start();
    await ask(github, `${method} /repos/acme/widgets${path}`, { token, body });
    expect(github.violations().map((violation) => violation.problem)).toContain(problem);
    expect(() => expectNoViolations(github)).toThrow();
  });

  test('an operation that is not implemented, which answers 404', async () => {
    const { github, token } = await start();
    expect((await ask(github, 'PUT /repos/acme/widgets/issues/1/lock', { token })).status).toBe(404);
    expect(github.violations()).toHaveLength(1);
  });
});

test('a filter or a field that GitHub knows and the stand-in does not is noticed, not ignored', async () => {
  const { github, token } = await start();
  await ask(github, 'GET /repos/acme/widgets/issues?assignee=ann', { token });
  await ask(github, 'PATCH /repos/acme/widgets/issues/1', { token, body: { labels: ['bug'] } });
  expect(github.violations().map(({ problem }) => problem)).toEqual([
    'assignee is not implemented',
    'labels is not implemented',
  ]);
});

describe('the check', () => {
  const issues = '/repos/{owner}/{repo}/issues/{issue_number}';

  test('finds an answer that lacks what is promised', () => {
    const check = makeOpenApiCheck();
    const problems = check.answer({
      method: 'GET',
      operation: issues,
      status: 200,
      body: { number: 1, state: 'open' },
    });
    expect(problems).toContain("answer 200  must have required property 'title'");
  });

  test('finds a status that the operation never answers', () => {
    const check = makeOpenApiCheck();
    expect(check.answer({ method: 'GET', operation: issues, status: 418, body: undefined })).toEqual([
      'status 418 is not declared',
    ]);
    expect(check.answer({ method: 'GET', operation: issues, status: 502, body: '<html>' })).toEqual([]);
  });

  test('finds a webhook that lacks what its event promises, or that no such event exists', () => {
    const check = makeOpenApiCheck();
    const lacking = check.webhook({ event: 'issues', action: 'closed', payload: { action: 'closed' } });
    expect(lacking).toContain("payload must have required property 'issue'");
    expect(check.webhook({ event: 'issues', action: 'vanished', payload: {} })).toEqual([
      'this webhook is not described',
    ]);
  });

  test('accepts null only where the description does', () => {
    const check = makeOpenApiCheck();
    const event = { action: null, installation_id: null, repository_id: null };
    const item = { id: 1, guid: 'a', delivered_at: '2026-11-29T12:00:00Z', redelivery: false, duration: 0, ...event };
    const answer = { method: 'GET', operation: '/app/hook/deliveries', status: 200 };
    const good = { ...item, status: 'OK', status_code: 200, event: 'ping' };
    expect(check.answer({ ...answer, body: [good] })).toEqual([]);
    expect(check.answer({ ...answer, body: [{ ...good, event: null }] })).toEqual([
      'answer 200 /0/event must be string',
    ]);
  });
});
