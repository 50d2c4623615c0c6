/**
 * Authorised calls to GitHub. A renamed repository's redirect is followed, because it leads to the same repository id; any
 * other redirect is handed back. Answers of every status are returned; what they mean is the caller's.
 */
import { createHash } from 'node:crypto';
import type { z } from 'zod';
import type { RepositoryRef } from '../engine/ports.ts';
import { GitHubError } from '../engine/ports.ts';
import { type Auth, type Authorization, skewOf } from './app-auth.ts';
import { errorOf } from './classify.ts';
import type { Answer, Exchange, Http } from './http.ts';
import type { Quotas } from './quota.ts';
import { graphqlSchema } from './schemas.ts';

/** `VERB /path/{parameter}`, as GitHub documents it. */
export type Route = `${'GET' | 'POST' | 'PATCH'} /${string}`;

/** What `{parameter}`s of the route don't use up becomes the query or the body. */
export type Parameters = Readonly<Record<string, string | number>>;
export type Variables = Readonly<Record<string, string | number | readonly string[]>>;

export interface Reply extends Answer {
  /** Where a redirect that was not followed leads. */
  moved: Moved | null;
  /** What was asked, for messages. */
  call: string;
  /** Tells tokens apart without holding one: an ETag is only good for the token that got it. */
  tokenKey: string;
  /** The answer as the error that it is. */
  error(): GitHubError;
}

/** A repository as far as it is known: without an id, any repository that bears the name will do. */
export type Target = Omit<RepositoryRef, 'id'> & { id: string | null };

export interface Moved {
  href: string;
  repositoryId: string;
}

export interface Condition {
  etag: string;
  /** Whose ETag it is: it is not sent with another's token. null: whoever's, where "as it was" says the same to everybody. */
  tokenKey: string | null;
}

export interface GitHubClient {
  mode: Auth['mode'];
  /** As the repository's installation; `owner` and `repo` are filled in. */
  call(repository: Target, route: Route, parameters?: Parameters, condition?: Condition): Promise<Reply>;
  /** About no repository, as an installation. */
  callAsInstallation(installationId: number, route: Route, parameters?: Parameters): Promise<Reply>;
  /** The same, as the App itself. */
  callAsApp(repository: Target | null, route: Route, parameters?: Parameters): Promise<Reply>;
  /** A GraphQL query, as the repository's installation; its errors are the caller's too (`dataOf`). */
  query(repository: Target, query: string, variables: Variables): Promise<Reply>;
  clockOffsetMs(): number | null;
}

/** GitHub's replicas may not know a token yet in its first seconds. */
const YOUNG_TOKEN_MS = 5000;
const REDIRECTS = 2;
const GRAPHQL = 'POST /graphql';

/** Whose limits a call counts for. */
type Payer = Pick<Target, 'installationId'>;

interface Call {
  route: Route;
  /** Whose redirect is followed; null: none is. */
  target: Target | null;
  exchange: Exchange;
  as: Authorization;
}

export function makeClient(http: Http, auth: Auth, quotas: Quotas): GitHubClient {
  async function send({ route, target, exchange, as }: Call, ask = http.exchange): Promise<Reply> {
    let answer = await ask(exchange);
    let moved = movedTo(answer, http.baseUrl);
    for (let hop = 0; hop < REDIRECTS && moved !== null && isSame(target, moved); hop += 1) {
      answer = await ask({ ...exchange, url: moved.href });
      moved = movedTo(answer, http.baseUrl);
    }
    const error = () => refusal(http, as, errorOf(route, answer, as.secret));
    return { ...answer, moved, call: route, tokenKey: fingerprint(as.secret), error };
  }

  async function sendFor(payer: Payer, call: Omit<Call, 'as'>, condition?: Condition): Promise<Reply> {
    const as = await authorize(payer);
    const conditional = isFor(as, condition) ? { 'if-none-match': condition.etag } : {};
    const headers = { authorization: as.header, ...conditional };
    const resource = call.route === GRAPHQL ? 'graphql' : 'core';
    const reply = await send({ ...call, exchange: { ...call.exchange, headers }, as }, async (exchange) => {
      const answer = await http.exchange(exchange);
      quotas.note(payer, answer, resource);
      return answer;
    });
    if (reply.status === 401) auth.refused(payer.installationId);
    if (isBeyondToken(reply)) auth.outgrown(payer.installationId);
    return reply;
  }

  async function authorize(payer: Payer): Promise<Authorization> {
    try {
      return await auth.forInstallation(payer.installationId);
    } catch (error) {
      const wait = error instanceof GitHubError ? error.retryAfterSeconds : null;
      if (wait !== null) quotas.silence(payer, wait);
      throw error;
    }
  }

  async function call(target: Target, route: Route, parameters: Parameters = {}, condition?: Condition) {
    return sendFor(target, { route, target, exchange: exchangeOf(http, route, target, parameters) }, condition);
  }

  async function callAsInstallation(installationId: number, route: Route, parameters: Parameters = {}) {
    const exchange = exchangeOf(http, route, null, parameters);
    return sendFor({ installationId }, { route, target: null, exchange });
  }

  async function callAsApp(target: Target | null, route: Route, parameters: Parameters = {}) {
    const as = await auth.forApp();
    const exchange = { ...exchangeOf(http, route, target, parameters), headers: { authorization: as.header } };
    return send({ route, target, exchange, as });
  }

  async function query(repository: Target, text: string, variables: Variables) {
    // GitHub refuses variables that the query does not declare.
    const names = text.includes('$owner') ? namesOf(repository) : {};
    const body = { query: text, variables: { ...names, ...variables } };
    const exchange = { method: 'POST', url: graphqlUrl(http.baseUrl), body };
    return sendFor(repository, { route: GRAPHQL, target: null, exchange });
  }

  return { mode: auth.mode, call, callAsInstallation, callAsApp, query, clockOffsetMs: http.clockOffsetMs };
}

/** The body of a success, checked. Anything else is an error: half an answer is no answer. */
export function bodyOf<S extends z.ZodType>(reply: Reply, schema: S): z.infer<S> {
  if (reply.status < 200 || reply.status > 299) throw reply.error();
  const parsed = schema.safeParse(reply.data);
  if (parsed.success) return parsed.data;
  const where = parsed.error.issues[0]?.path.join('.') || 'the body';
  const said = `${reply.status}, but ${where} is not as promised`;
  throw new GitHubError('retryable', `${reply.call}: ${said}`, { status: reply.status, said });
}

/** The data of a GraphQL answer, checked, and only if it is whole: partial data comes with errors. */
export function dataOf<S extends z.ZodType>(reply: Reply, schema: S): z.infer<S> {
  const { errors, data } = bodyOf(reply, graphqlSchema);
  if (errors !== undefined && errors.length > 0) throw reply.error();
  return bodyOf({ ...reply, data }, schema);
}

/** Where a redirect leads, and to which repository; null where it is none of this GitHub, which never gets our token. */
function movedTo(answer: Answer, baseUrl: string): Moved | null {
  if (![301, 302, 307, 308].includes(answer.status)) return null;
  const location = answer.headers.location ?? '';
  const found =
    location.startsWith(`${baseUrl}/`) && /^\/repositories\/(\d+)(?=[/?]|$)/.exec(location.slice(baseUrl.length));
  return found ? { href: location, repositoryId: found[1] ?? '' } : null;
}

function isFor(as: Authorization, condition: Condition | undefined): condition is Condition {
  return condition !== undefined && (condition.tokenKey === null || condition.tokenKey === fingerprint(as.secret));
}

function isSame(target: Target | null, moved: Moved): boolean {
  return target !== null && (target.id === null || target.id === moved.repositoryId);
}

function exchangeOf(http: Http, route: Route, target: Target | null, parameters: Parameters): Exchange {
  // A parameter that the route does not name would become part of the query or the body.
  const names = target !== null && route.includes('{owner}/{repo}') ? namesOf(target) : {};
  const { method, url, body } = http.octokit.request.endpoint(route, { ...names, ...parameters });
  return { method, url, ...(body === undefined ? {} : { body }) };
}

/** GitHub Enterprise Server has it beside its REST API, not below. */
function graphqlUrl(baseUrl: string): string {
  return `${baseUrl.replace(/\/api\/v3$/, '/api')}/graphql`;
}

function namesOf({ fullName }: Target): { owner: string; repo: string } {
  const [owner, repo, ...rest] = fullName.split('/');
  if (!owner || !repo || rest.length > 0) throw new GitHubError('refused', `${fullName} is no owner/name`);
  return { owner, repo };
}

/** A token holds what was granted when it was made. */
function isBeyondToken({ status, data }: Pick<Reply, 'status' | 'data'>): boolean {
  return status === 403 && /not accessible by integration/i.test(JSON.stringify(data) ?? '');
}

/** A 401 that has a reason which passes by itself. */
function refusal(http: Http, as: Authorization, error: GitHubError): GitHubError {
  if (error.status !== 401) return error;
  if (as.clockOffsetMs !== null) return skewOf(http, as.clockOffsetMs, error);
  const young = as.createdAt !== null && Date.now() - as.createdAt.getTime() < YOUNG_TOKEN_MS;
  return young ? new GitHubError('retryable', error.message, { status: 401, said: error.said }) : error;
}

function fingerprint(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url').slice(0, 16);
}
