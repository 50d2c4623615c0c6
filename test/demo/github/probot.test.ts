import { createProbot, type Probot } from 'probot';
import { expect, test } from 'vitest';
import type { StandInGitHub } from '../../../src/demo/github/index.ts';
import { makeStarter } from './support.ts';

const start = makeStarter();

function makeProbot(github: StandInGitHub): Probot {
  const env = {
    APP_ID: String(github.appId),
    PRIVATE_KEY: github.privateKey,
    WEBHOOK_SECRET: github.webhookSecret,
    GHE_HOST: github.host,
    GHE_PROTOCOL: 'http',
    LOG_LEVEL: 'fatal' as const,
  };
  return createProbot({ env });
}

test('a real Probot authenticates as the app and as its installation, reads an issue and comments on it', async () => {
  const github = await start();
  github
    .addIssue('acme/widgets', { number: 12, title: 'Train the ranker', by: 'ann' })
    .close({ by: 'ann', reason: 'not_planned' });
  const probot = makeProbot(github);

  const asApp = await probot.auth();
  const app = await asApp.request('GET /app');
  expect(app.data?.slug).toBe('standdown');
  const repository = { owner: 'acme', repo: 'widgets' };
  const { data: installation } = await asApp.request('GET /repos/{owner}/{repo}/installation', repository);
  expect(installation.id).toBe(github.installationId);

  const octokit = await probot.auth(installation.id);
  const where = { ...repository, issue_number: 12 };
  const { data: issue } = await octokit.request('GET /repos/{owner}/{repo}/issues/{issue_number}', where);
  expect(issue).toMatchObject({ state: 'closed', state_reason: 'not_planned', closed_by: { login: 'ann' } });
  await octokit.request('POST /repos/{owner}/{repo}/issues/{issue_number}/comments', { ...where, body: 'Stopped.' });
  expect(github.comments('acme/widgets', 12)).toMatchObject([
    { body: 'Stopped.', author: { login: 'standdown[bot]' } },
  ]);
});

test("Probot accepts the stand-in's signed webhooks and refuses them under another secret", async () => {
  const github = await start({ webhookUrl: 'http://127.0.0.1:9/' });
  const { body, headers } = github.addIssue('acme/widgets').close({ by: 'ann' });
  const probot = makeProbot(github);
  await probot.ready();
  const seen: string[] = [];
  probot.on('issues.closed', async ({ payload }) => {
    seen.push(`${payload.repository.full_name}#${payload.issue.number} by ${payload.sender.login}`);
  });
  const received = { id: '1', name: 'issues' as const, signature: headers['x-hub-signature-256'] ?? '', payload: body };
  await probot.webhooks.verifyAndReceive(received);
  expect(seen).toEqual(['acme/widgets#1 by ann']);

  const forged = { ...received, payload: body.replace('ann', 'eve') };
  await expect(probot.webhooks.verifyAndReceive(forged)).rejects.toThrow(/signature/);
});
