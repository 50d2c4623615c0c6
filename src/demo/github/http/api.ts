/** One API request from arrival to answer, without any socket: route, fault, caller, limit, handler, ETag, checks. */
import { accountOf, authenticate, authorizeOperation, readCredential } from '../auth/authenticate.ts';
import type { Check, Violation } from '../check.ts';
import { editionHeaders } from '../edition.ts';
import type { FaultBook } from '../faults.ts';
import { RATE_LIMIT_OPERATION } from '../routes/rate-limit.ts';
import type { Caller, Site } from '../site.ts';
import { fullName } from '../state/world.ts';
import { type Answer, notFound, Refusal } from './answer.ts';
import { answerConditionally, withETag } from './conditional.ts';
import type { CountContent } from './content-limit.ts';
import type { Meter } from './rate-limit.ts';
import type { ApiRequest, Match, Router } from './router.ts';
import { secondaryLimit, spoil, suffer } from './trouble.ts';

export interface Received {
  method: string;
  /** Below `/api/v3`, still encoded, without the query. */
  path: string;
  query: URLSearchParams;
  headers: Readonly<Record<string, string | undefined>>;
  /** undefined: none; null as JSON is null. */
  body: unknown;
}

export interface Api {
  site: Site;
  route: Router;
  meter: Meter;
  faults: FaultBook;
  countContent: CountContent;
  check: Check;
  violations: Violation[];
}

/** null: the connection is to be dropped without an answer. */
export async function answerRequest(api: Api, received: Received): Promise<Answer | null> {
  const canonical = canonicalPath(api.site, received.path);
  const match = api.route(received.method, canonical);
  if (match === undefined) report(api, received, ['this operation is not implemented']);
  else report(api, received, checkRequest(api, received, match));
  const hit = api.faults.take(received.method, received.path);
  const trouble = hit ? await suffer(hit) : 'go_on';
  if (trouble !== 'go_on') return trouble;
  const answer = await serve(api, received, canonical, match);
  return hit ? spoil(hit, answer) : answer;
}

/** `/repositories/{id}/…` names a repository by its id, whatever it is called. */
function canonicalPath(site: Site, path: string): string {
  const found = /^\/repositories\/(\d+)(\/.*)?$/.exec(path);
  const repository = found ? site.world.repositories.get(Number(found[1])) : undefined;
  if (found === null) return path;
  const name = repository ? fullName(repository) : '-/-';
  return `/repos/${name}${found[2] ?? ''}`;
}

async function serve(api: Api, received: Received, path: string, match: Match | undefined): Promise<Answer> {
  const credential = readCredential(received.headers.authorization);
  let caller: Caller;
  try {
    caller = authenticate(api.site, credential);
  } catch (error) {
    return checkAnswer(api, received, match, refusalOf(error));
  }
  const answer = await handle(api, received, path, match, caller);
  const conditional =
    received.method === 'GET' && answer.status === 200
      ? answerConditionally(withETag(answer, credential), received.headers['if-none-match'])
      : answer;
  return checkAnswer(api, received, match, meterAnswer(api, match, caller, conditional));
}

async function handle(
  api: Api,
  received: Received,
  path: string,
  match: Match | undefined,
  caller: Caller,
): Promise<Answer> {
  const { method, query, body } = received;
  try {
    api.meter.refuseIfExhausted(accountOf(caller));
    if (match === undefined) throw notFound();
    authorizeOperation(caller, match.route);
    const wait = match.route.createsContent ? api.countContent(accountOf(caller)) : 0;
    if (wait > 0) return secondaryLimit(403, wait);
    const request: ApiRequest = { caller, params: match.params, query, body, method, path };
    return await match.route.handle(api.site, request);
  } catch (error) {
    return refusalOf(error);
  }
}

function refusalOf(error: unknown): Answer {
  if (error instanceof Refusal) return error.answer;
  throw error;
}

/** A 304 costs nothing, nor does asking for the limit. */
function meterAnswer(api: Api, match: Match | undefined, caller: Caller, answer: Answer): Answer {
  const account = accountOf(caller);
  if (answer.status !== 304 && match?.route.operation !== RATE_LIMIT_OPERATION) api.meter.charge(account);
  return {
    ...answer,
    headers: { ...editionHeaders(api.site.edition, () => api.meter.read(account)), ...answer.headers },
  };
}

function checkRequest(api: Api, { method, query, body }: Received, { route, params }: Match): string[] {
  if (route.undescribed) return [];
  const ignored = (route.ignores ?? []).filter((name) => query.has(name) || Object.hasOwn(Object(body), name));
  return [
    ...api.check.request({ method, operation: route.operation, params, query, body }),
    ...ignored.map((name) => `${name} is not implemented`),
  ];
}

function checkAnswer(api: Api, received: Received, match: Match | undefined, answer: Answer): Answer {
  if (match && !match.route.undescribed) {
    const { operation } = match.route;
    report(
      api,
      received,
      api.check.answer({ method: received.method, operation, status: answer.status, body: answer.body }),
    );
  }
  return answer;
}

function report(api: Api, { method, path }: Received, problems: readonly string[]): void {
  for (const problem of problems) api.violations.push({ where: `${method} ${path}`, problem });
}
