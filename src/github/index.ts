/** The adapter to GitHub in one place: what the engine reads from it and writes to it. */
import type { BranchReader, Clock, CommandReader, GitHubReader, GitHubWriter, SweepReader } from '../engine/ports.ts';
import { type Credentials, makeAuth } from './app-auth.ts';
import { type GitHubClient, makeClient } from './client.ts';
import { type Gate, makeGate } from './gate.ts';
import { askAgain, readHookAttempts } from './hook-attempts.ts';
import { makeHttp } from './http.ts';
import { installedRepositories } from './installed.ts';
import { listIssues } from './list-issues.ts';
import { makeQuotas, type Quotas } from './quota.ts';
import { readAccess } from './read-access.ts';
import { readBranch, readBranchHead } from './read-branch.ts';
import { makeReadComments, readComment } from './read-comments.ts';
import { makeDependencies } from './read-dependencies.ts';
import { readEditor } from './read-editor.ts';
import { readFile } from './read-file.ts';
import { makeReadIssue } from './read-issue.ts';
import { makeReadPermission } from './read-permission.ts';
import { readReopener } from './read-reopener.ts';
import { findRepository } from './read-repository.ts';
import { readUnblockers } from './read-unblockers.ts';
import { makeSightIssues } from './sight-issues.ts';
import { makeReadViewer, type ReadViewer } from './viewer.ts';
import { makeGitHubWriter } from './writer.ts';

export type { Credentials } from './app-auth.ts';
export { interpretDelivery } from './interpret.ts';

export interface GitHubOptions {
  credentials: Credentials;
  /** Default `https://api.github.com`; for GitHub Enterprise Server see `apiBaseUrl`. */
  baseUrl?: string;
  /**
   * Of one HTTP exchange; default 10,000. A write makes one; a token before it, redirects of a renamed repository and the
   * reads that explain a refusal come on top.
   */
  timeoutMs?: number;
  /** Ends what is on its way, and refuses all that comes later. Default: never. */
  signal?: AbortSignal;
  /** How many issues keep their ETag; default 2,000. */
  rememberedIssues?: number;
  now?: Clock;
  /** From 0 to 1, for what is spread by chance; default `Math.random`. */
  chance?: () => number;
}

/**
 * Reads at once, each of a few requests: GitHub allows an App 100 concurrent requests. Writes are not among them: nothing
 * may come between a write's last look at its lease and its request.
 * https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api
 */
const READS_AT_ONCE = 50;

/** Of each, the ETag of its newest comments. */
const REMEMBERED_REPOSITORIES = 5_000;

/** Where the API of a host is, from Probot's `GHE_HOST` and `GHE_PROTOCOL`. */
export function apiBaseUrl(host?: string, protocol = 'https'): string {
  return host ? `${protocol}://${host}/api/v3` : 'https://api.github.com';
}

export interface GitHub {
  reader: GitHubReader & CommandReader & BranchReader & SweepReader;
  writer: GitHubWriter;
}

export function makeGitHub(options: GitHubOptions): GitHub {
  const now = options.now ?? (() => new Date());
  const http = makeHttp({
    baseUrl: (options.baseUrl ?? apiBaseUrl()).replace(/\/+$/, ''),
    userAgent: 'standdown',
    timeoutMs: options.timeoutMs ?? 10_000,
    signal: options.signal,
    now,
  });
  const chance = options.chance ?? Math.random;
  const quotas = makeQuotas({ now, clockOffsetMs: http.clockOffsetMs, chance });
  const client = makeClient(http, makeAuth(options.credentials, http), quotas);
  const viewer = makeReadViewer(client);
  const gate = makeGate(READS_AT_ONCE);
  return {
    reader: {
      ...makeGitHubReader({ client, viewer, gate }, options.rememberedIssues ?? 2000),
      ...makeSweepReader(client, quotas, gate),
    },
    writer: makeGitHubWriter(client, viewer),
  };
}

function makeSweepReader(client: GitHubClient, { quota, pausedUntil }: Quotas, gate: Gate): SweepReader {
  const sightIssues = makeSightIssues(client);
  return {
    listIssues: (repository, since, validator) => gate(() => listIssues(client, repository, { since, validator })),
    sightIssues: (repository, nodeIds) => gate(() => sightIssues(repository, nodeIds)),
    readAccess: (repository) => gate(() => readAccess(client, repository)),
    installedRepositories: () => gate(() => installedRepositories(client)),
    hookAttempts: (cursor) => gate(() => readHookAttempts(client, cursor)),
    askAgain: (attemptId) => gate(() => askAgain(client, attemptId)),
    quota,
    pausedUntil,
  };
}

interface ReaderDeps {
  client: GitHubClient;
  viewer: ReadViewer;
  gate: Gate;
}

function makeGitHubReader(
  { client, viewer, gate }: ReaderDeps,
  rememberedIssues: number,
): GitHubReader & CommandReader & BranchReader {
  const readIssue = makeReadIssue(client, rememberedIssues);
  const readPermission = makeReadPermission(client, viewer);
  const dependencies = makeDependencies(client);
  const readComments = makeReadComments(client, REMEMBERED_REPOSITORIES);
  return {
    readIssue: async (repository, number) => {
      const reading = await gate(() => readIssue(repository, number));
      dependencies.note(reading);
      return reading;
    },
    readReopener: (repository, number) => gate(() => readReopener(client, repository, number)),
    readPermission: (repository, login) => gate(() => readPermission(repository, login)),
    readDependencies: (repository, number) => gate(() => dependencies.read(repository, number)),
    readEditor: (repository, number) => gate(() => readEditor(client, repository, number)),
    readUnblockers: (repository, number, count) => gate(() => readUnblockers(client, repository, { number, count })),
    readFile: (repository, path, etag) => gate(() => readFile(client, repository, { path, etag })),
    readBranchHead: (repository, branch) => gate(() => readBranchHead(client, repository, branch)),
    readBranch: (repository, branch, base) => gate(() => readBranch(client, repository, { branch, base })),
    readComment: (repository, commentId) => gate(() => readComment(client, repository, commentId)),
    readComments: (repository, since) => gate(() => readComments(repository, since)),
    self: async () => {
      const { login, slug } = await viewer();
      return { login, app: slug };
    },
    findRepository: (fullName) => gate(() => findRepository(client, fullName)),
    check: async () => void (await viewer()),
    clockOffsetMs: client.clockOffsetMs,
  };
}
