/** GitHub's `Link` header: where a listing goes on and where it ends. */
import type { Answer } from './http.ts';

export function hasNextPage({ headers }: Answer): boolean {
  return /<[^>]*>;\s*rel="next"/.test(headers.link ?? '');
}

/** 1 where the listing has one page: GitHub then sends no such link. */
export function lastPage({ headers }: Answer): number {
  const found = /<[^>]*[?&]page=(\d+)[^>]*>;\s*rel="last"/.exec(headers.link ?? '');
  return found ? Number(found[1]) : 1;
}

/** null where the listing ends. */
export function nextCursor({ headers }: Answer): string | null {
  const query = /<[^>?]*\?([^>]*)>;\s*rel="next"/.exec(headers.link ?? '')?.[1];
  return new URLSearchParams(query).get('cursor');
}
