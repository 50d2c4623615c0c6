/** Addresses and identifiers as GitHub Enterprise Server writes them. */
import type { Site } from '../site.ts';
import type { Repository } from '../state/types.ts';
import { fullName } from '../state/world.ts';

export function apiUrl(site: Site, path: string): string {
  return `${site.origin()}/api/v3${path}`;
}

export function repositoryApiUrl(site: Site, repository: Repository): string {
  return apiUrl(site, `/repos/${fullName(repository)}`);
}

export function repositoryPage(site: Site, repository: Repository): string {
  return `${site.origin()}/${fullName(repository)}`;
}

/** `2026-01-31T12:00:00Z`: GitHub writes no fractions. */
export function isoSeconds(epochMs: number): string {
  return new Date(epochMs).toISOString().replace(/\.\d{3}Z$/, 'Z');
}

/** Opaque and stable, like GitHub's own. */
export function nodeId(prefix: string, id: number): string {
  return `${prefix}_kw${Buffer.from(String(id)).toString('base64url')}`;
}
