/**
 * Which GitHub it is. `enterprise` is a GitHub Enterprise Server as its owners often have it: its limits switched off, and older than
 * issue dependencies, so that it knows neither their endpoints, fields and events nor the reason `duplicate` in GraphQL.
 */
import { notFound, Refusal } from './http/answer.ts';
import { type Quota, quotaHeaders } from './http/rate-limit.ts';
import type { Route } from './http/router.ts';

export type Edition = 'cloud' | 'enterprise';

const VERSION = '3.16.2';

/** What it has not, it answers like any address that is none. */
export function lackingRoutes(routes: readonly Route[]): Route[] {
  return routes.map((route) => ({ ...route, createsContent: false, handle: lack }));
}

/** https://github.com/actions/stale/issues/1227 */
export function withoutLimit(route: Route): Route {
  return {
    ...route,
    handle: () => {
      throw new Refusal(404, 'Rate limiting is not enabled.');
    },
  };
}

/** What every answer carries. `quota`: asked for only where there is a limit. */
export function editionHeaders(edition: Edition, quota: () => Quota): Record<string, string> {
  return edition === 'enterprise' ? { 'x-github-enterprise-version': VERSION } : quotaHeaders(quota());
}

export function knownEvents(edition: Edition, events: readonly string[]): readonly string[] {
  return edition === 'enterprise' ? events.filter((event) => event !== 'issue_dependencies') : events;
}

/** Whatever else a query asks, one thing that its schema does not know refuses it whole, and all of them are named at once. */
export function schemaErrors(edition: Edition, query: string): object[] {
  if (edition === 'cloud') return [];
  return UNKNOWN.flatMap(({ words, error }) => (query.includes(words) ? [error] : []));
}

const UNKNOWN = [
  {
    words: 'stateReason(enableDuplicate:',
    error: {
      path: ['query', 'nodes', '... on Issue', 'stateReason', 'enableDuplicate'],
      extensions: {
        code: 'argumentNotAccepted',
        name: 'stateReason',
        typeName: 'Field',
        argumentName: 'enableDuplicate',
      },
      locations: [{ line: 5, column: 35 }],
      message: "Field 'stateReason' doesn't accept argument 'enableDuplicate'",
    },
  },
  {
    words: 'blockedBy(',
    error: {
      path: ['query', 'nodes', '... on Issue', 'blockedBy'],
      extensions: { code: 'undefinedField', typeName: 'Issue', fieldName: 'blockedBy' },
      locations: [{ line: 7, column: 7 }],
      message: "Field 'blockedBy' doesn't exist on type 'Issue'",
    },
  },
];

function lack(): never {
  throw notFound();
}
