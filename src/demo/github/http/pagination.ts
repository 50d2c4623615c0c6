/** Pages of a listing, linked as GitHub links them. */
import { apiUrl } from '../render/urls.ts';
import type { Site } from '../site.ts';
import { findRepository } from '../state/world.ts';
import type { Answer } from './answer.ts';
import type { ApiRequest } from './router.ts';

const DEFAULT_PER_PAGE = 30;
const MOST_PER_PAGE = 100;

interface Page<T> {
  items: T[];
  headers: Record<string, string>;
}

export function paginate<T>(site: Site, request: ApiRequest, all: readonly T[]): Page<T> {
  const perPage = Math.min(readPositive(request.query, 'per_page', DEFAULT_PER_PAGE), MOST_PER_PAGE);
  const page = readPositive(request.query, 'page', 1);
  const last = Math.max(1, Math.ceil(all.length / perPage));
  const items = all.slice((page - 1) * perPage, page * perPage);
  const link = linkHeader((to) => pageUrl(site, request, to), page, last);
  return { items, headers: link === '' ? {} : { link } };
}

export function answerPage<T>(
  site: Site,
  request: ApiRequest,
  all: readonly T[],
  render: (item: T) => unknown,
): Answer {
  const { items, headers } = paginate(site, request, all);
  return { status: 200, body: items.map(render), headers };
}

export function readPositive(query: URLSearchParams, name: string, otherwise: number): number {
  const value = Number(query.get(name));
  return Number.isInteger(value) && value > 0 ? value : otherwise;
}

function pageUrl(site: Site, request: ApiRequest, page: number): string {
  const query = new URLSearchParams(request.query);
  query.set('page', String(page));
  return `${apiUrl(site, listingPath(site, request))}?${query}`;
}

function linkHeader(url: (page: number) => string, page: number, last: number): string {
  const links: [rel: string, page: number][] = [];
  if (page > 1) links.push(['prev', Math.min(page - 1, last)]);
  if (page < last) links.push(['next', page + 1], ['last', last]);
  if (page > 1) links.push(['first', 1]);
  return links.map(([rel, to]) => `<${url(to)}>; rel="${rel}"`).join(', ');
}

/** GitHub's links name a repository by its id, which outlives its name. */
function listingPath(site: Site, { params, path }: ApiRequest): string {
  const repository = findRepository(site.world, `${params.owner}/${params.repo}`);
  if (repository === undefined) return path;
  return ['', 'repositories', repository.id, ...path.split('/').slice(4)].join('/');
}
