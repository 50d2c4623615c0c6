/** What GitHub's listings have in common: `since`, `sort` and `direction`. */

import { validationFailed } from '../http/answer.ts';
import type { ApiRequest } from '../http/router.ts';
import type { Recency } from '../state/recency.ts';

interface Dated {
  id: number;
  createdAt: number;
  updatedAt: number;
}

/** Updated at or after `since`; without it, everything. */
export function since<T extends Dated>(request: ApiRequest, items: Recency<T>): T[] {
  return items.since(readSince(request));
}

/** Epoch milliseconds. */
export function readSince(request: ApiRequest): number {
  const text = request.query.get('since');
  if (text === null) return Number.NEGATIVE_INFINITY;
  const earliest = Date.parse(text);
  if (Number.isNaN(earliest)) throw validationFailed({ resource: 'Listing', field: 'since', code: 'invalid' });
  return earliest;
}

/** Equal times keep the order of creation. */
export function sorted<T extends Dated>(items: readonly T[], sort: string, direction: string): T[] {
  const key = sort === 'updated' ? 'updatedAt' : 'createdAt';
  const ascending = [...items].sort((a, b) => a[key] - b[key] || a.id - b.id);
  return direction === 'asc' ? ascending : ascending.reverse();
}
