/** GitHub as nock plays it, and the credentials to talk to it. Every interceptor has to be used. */
import { generateKeyPairSync } from 'node:crypto';
import nock from 'nock';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import type { RepositoryRef } from '../../src/engine/ports.ts';
import { type GitHubOptions, makeGitHub } from '../../src/github/index.ts';

export const API = 'https://api.github.com';
export const TOKEN = 'ghs_installationTokenOfTheTests';
export const REPOSITORY: RepositoryRef = { id: '101', fullName: 'acme/widgets', installationId: 7 };
export const NOT_FOUND = { message: 'Not Found', documentation_url: 'https://docs.github.com/rest', status: '404' };

export const PRIVATE_KEY = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
}).privateKey;

/** To be called once in a file: no connection leaves the process, and nothing that was promised goes unused. */
export function playGitHub(): void {
  beforeAll(() => {
    nock.disableNetConnect();
  });
  afterEach(() => {
    const unused = nock.pendingMocks();
    nock.cleanAll();
    expect(unused).toEqual([]);
  });
  afterAll(() => {
    nock.restore();
  });
}

export function asApp(options: Partial<GitHubOptions> = {}) {
  return makeGitHub({ credentials: { mode: 'app', appId: 1, privateKey: PRIVATE_KEY }, ...options });
}

export function asToken(options: Partial<GitHubOptions> = {}) {
  return makeGitHub({ credentials: { mode: 'token', token: TOKEN }, ...options });
}

export function playToken(token = TOKEN) {
  const answer = { token, expires_at: '2030-01-01T00:00:00Z', permissions: { issues: 'write', metadata: 'read' } };
  return nock(API).post('/app/installations/7/access_tokens').reply(201, answer);
}

export function playRepository(facts: object = {}) {
  return nock(API)
    .get('/repos/acme/widgets')
    .reply(200, { id: 101, full_name: 'acme/widgets', has_issues: true, archived: false, ...facts });
}

export function commentJson(facts: object = {}) {
  return {
    id: 77,
    issue_url: `${API}/repos/acme/widgets/issues/12`,
    user: { login: 'ann', type: 'User' },
    body: '/task cancel',
    created_at: '2026-01-02T03:04:05Z',
    updated_at: '2026-01-02T03:04:05Z',
    performed_via_github_app: null,
    ...facts,
  };
}

export function issueJson(facts: object = {}) {
  return {
    id: 5001,
    node_id: 'I_12',
    number: 12,
    title: 'Train the ranker',
    html_url: 'https://github.com/acme/widgets/issues/12',
    state: 'closed',
    state_reason: 'completed',
    closed_at: '2026-01-02T03:04:05Z',
    updated_at: '2026-01-02T03:04:06Z',
    user: { login: 'ann' },
    closed_by: { login: 'ben' },
    locked: false,
    ...facts,
  };
}
