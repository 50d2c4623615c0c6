import { expect, test } from 'vitest';
import { ask, makeStarter, takeInstallationToken } from './support.ts';

const start = makeStarter();
const ISSUE = '/repos/acme/widgets/issues/1';

test('the old number of a transferred issue leads to its new place, and nothing below it does', async () => {
  const github = await start();
  const token = await takeInstallationToken(github);
  const { id } = github.addRepository('acme/gadgets');
  const issue = github.addIssue('acme/widgets');
  issue.comment({ by: 'ann', body: 'with me' });
  issue.transfer('acme/gadgets', { by: 'ann' });

  const moved = await ask(github, `GET ${ISSUE}`, { token });
  expect([moved.status, moved.headers.get('location')]).toEqual([301, `${github.apiUrl}/repositories/${id}/issues/1`]);
  for (const below of ['comments', 'events', 'timeline', 'dependencies/blocked_by']) {
    expect([below, (await ask(github, `GET ${ISSUE}/${below}`, { token })).status]).toEqual([below, 404]);
  }
  expect((await ask(github, `POST ${ISSUE}/comments`, { token, body: { body: 'hello' } })).status).toBe(404);
  expect(github.comments('acme/gadgets', 1).map(({ body }) => body)).toEqual(['with me']);
});
