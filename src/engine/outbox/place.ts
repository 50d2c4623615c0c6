/**
 * Where a comment is written: on its issue, or on what a transfer made of that, as far as the same installation may write there. GitHub
 * leads from a transferred issue to its new place, and from nothing below it: https://github.com/Systemorph/MeshWeaver/issues/4629
 */
import { GitHubError, type RepositoryRef } from '../ports.ts';
import { readIssue } from '../read-issue.ts';
import type { CommentItem } from './render.ts';
import type { Turn } from './turn.ts';

export interface Place {
  repository: RepositoryRef;
  number: number;
  /** Web address of the issue there, where it is not the one that the message was owed to. */
  movedTo: string | null;
}

/** Why there is none. */
export interface Nowhere {
  nowhere: string;
}

/** Answers to a write on an issue that is not there (any more). */
const ABSENT = [301, 307, 308, 404, 410];

/** Throws `GitHubError` where nobody can tell. */
export async function findPlace({ deps, github, view }: Turn, item: CommentItem): Promise<Place | Nowhere> {
  const { repository } = view;
  const issue = await deps.store.issue(item);
  if (issue === null || issue.presence === 'present') return { repository, number: item.number, movedTo: null };
  if (issue.presence === 'deleted') return { nowhere: 'its issue was deleted' };
  // The file of one repository is no matter of another.
  if (item.kind === 'notice') return { nowhere: 'its issue was moved to another repository' };
  const place = parseAddress(issue.movedTo);
  if (place === null) return { nowhere: 'its issue was moved to where the App can not read' };
  const there = await github.findRepository(place.fullName);
  if (there === null || !isOfSame(repository, there)) {
    return { nowhere: `its issue was moved to ${place.fullName}, where the App may not write` };
  }
  return { repository: there, number: place.number, movedTo: issue.movedTo };
}

/** `https://github.example/owner/name/issues/12`; null: no such address. */
function parseAddress(url: string | null): { fullName: string; number: number } | null {
  const [, fullName, number] = /^https?:\/\/[^/]+\/([^/]+\/[^/]+)\/issues\/(\d+)$/.exec(url ?? '') ?? [];
  return fullName === undefined ? null : { fullName, number: Number(number) };
}

/** GitHub moves issues between repositories of one owner only; and a token of somebody's may reach further than its repository. */
function isOfSame(here: RepositoryRef, there: RepositoryRef): boolean {
  return here.installationId === there.installationId && ownerOf(here) === ownerOf(there);
}

function ownerOf({ fullName }: RepositoryRef): string | undefined {
  return fullName.split('/')[0]?.toLowerCase();
}

/**
 * Whether the issue turned out to be gone from where it was thought to be, which the refusal alone doesn't tell. It is read then: the
 * row knows it from now on, and the next try finds the place. Throws `GitHubError` where it can't be read.
 */
export async function hasLeft({ deps }: Turn, item: CommentItem, refusal: unknown): Promise<boolean> {
  if (!(refusal instanceof GitHubError) || refusal.code !== 'refused') return false;
  if (!ABSENT.includes(refusal.status ?? 0)) return false;
  const known = await deps.store.issue(item);
  if (known === null || known.presence !== 'present') return false;
  const issue = await readIssue(deps, item);
  return issue !== null && issue.presence !== 'present';
}
