/** Finds the operation that a request means, by GitHub's own path templates. */

import type { Caller, Site } from '../site.ts';
import type { Access } from '../state/types.ts';
import type { Answer } from './answer.ts';

export interface ApiRequest {
  caller: Caller;
  params: Readonly<Record<string, string>>;
  query: URLSearchParams;
  body: unknown;
  method: string;
  /** With the repository's present name, however it was asked for: `/repos/acme/widgets/issues`. */
  path: string;
}

export interface Route {
  method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  /** As in GitHub's OpenAPI description. */
  operation: string;
  /** Who may call it at all: the app itself (JWT), an installation, or a person's or an installation's token. */
  as: 'app' | 'installation' | 'user' | 'token' | 'anyone';
  /** The app permission that an installation's token needs. */
  permission?: readonly [name: string, access: Access];
  /** Creates content, of which GitHub allows so much a minute and an hour. */
  createsContent?: boolean;
  /** Not part of GitHub's REST description: the handler alone says what is wrong with a request. */
  undescribed?: true;
  /** What GitHub's description knows and the stand-in does not: query parameters and keys of the body. */
  ignores?: readonly string[];
  handle: (site: Site, request: ApiRequest) => Answer | Promise<Answer>;
}

export interface Match {
  route: Route;
  params: Record<string, string>;
}

export type Router = (method: string, path: string) => Match | undefined;

export function makeRouter(routes: readonly Route[]): Router {
  const compiled = routes.map((route) => ({ route, pattern: compile(route.operation) }));
  return (method, path) => {
    for (const { route, pattern } of compiled) {
      const found = route.method === method ? pattern.exec(path) : null;
      if (found) return { route, params: decodeAll(found.groups ?? {}) };
    }
    return undefined;
  };
}

/** What may hold slashes, encoded or not. */
const MANY_SEGMENTS = ['path', 'branch', 'basehead'];

/** `{name}` matches one segment, and numbers only where GitHub's name says so (`…_id`, `…_number`). */
function compile(operation: string): RegExp {
  const source = operation.replace(/\{(\w+)\}/g, (_, name: string) => {
    if (MANY_SEGMENTS.includes(name)) return `(?<${name}>.+)`;
    return /_(id|number)$/.test(name) ? `(?<${name}>\\d+)` : `(?<${name}>[^/]+)`;
  });
  return new RegExp(`^${source}$`);
}

function decodeAll(groups: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(groups).map(([name, text]) => [name, decodeURIComponent(text)]));
}
