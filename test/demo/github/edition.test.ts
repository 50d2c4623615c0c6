/** A stand-in that is a GitHub Enterprise Server: without limits, and older than issue dependencies. */
import { expect, test } from 'vitest';
import { ask, makeStarter, takeInstallationToken } from './support.ts';

const start = makeStarter();

async function startEnterprise() {
  const github = await start({ edition: 'enterprise' });
  github.addIssue('acme/widgets');
  return { github, token: await takeInstallationToken(github) };
}

test('an Enterprise Server tells of no limit, also when asked', async () => {
  const { github, token } = await startEnterprise();
  const reply = await ask(github, 'GET /repos/acme/widgets/issues/1', { token });
  expect(reply.status).toBe(200);
  expect([...reply.headers.keys()].filter((name) => name.startsWith('x-ratelimit'))).toEqual([]);
  const asked = await ask(github, 'GET /rate_limit', { token });
  expect(asked).toMatchObject({ status: 404, json: { message: 'Rate limiting is not enabled.' } });
});

test('an Enterprise Server of old knows no dependencies: neither their addresses nor their counts', async () => {
  const { github, token } = await startEnterprise();
  const address = 'GET /repos/acme/widgets/issues/1/dependencies/blocked_by';
  expect(await ask(github, address, { token })).toMatchObject({ status: 404, json: { message: 'Not Found' } });
  const { json } = await ask(github, 'GET /repos/acme/widgets/issues/1', { token });
  expect(json).toHaveProperty('state', 'open');
  expect(json).not.toHaveProperty('issue_dependencies_summary');
});

test('an Enterprise Server of old refuses a query whole, and names all that it does not know of it', async () => {
  const { github, token } = await startEnterprise();
  const query =
    'query { nodes { ... on Issue { stateReason(enableDuplicate: true) blockedBy(first: 1) { totalCount } } } }';
  const { status, json } = await ask(github, `POST ${github.url}/api/graphql`, { token, body: { query } });
  expect(status).toBe(200);
  expect(json).not.toHaveProperty('data');
  expect(json.errors).toMatchObject([
    { message: "Field 'stateReason' doesn't accept argument 'enableDuplicate'" },
    { message: "Field 'blockedBy' doesn't exist on type 'Issue'", extensions: { code: 'undefinedField' } },
  ]);
});
