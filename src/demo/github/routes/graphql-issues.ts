/** GraphQL's `nodes(ids)` of issues, each answered for itself: what is gone is null, with an error of its own beside the data. */
import { isoSeconds, nodeId } from '../render/urls.ts';
import type { Caller, Site } from '../site.ts';
import { blockersOf, findIssueById } from '../state/issues.ts';
import type { Issue, Place } from '../state/types.ts';
import { fullName } from '../state/world.ts';
import { isVisible } from './lookup.ts';

const BLOCKED_BY = 'blockedBy(first: 50) { totalCount nodes { number repository { nameWithOwner } } }';

const ISSUES = (reason: string, more: string) => `
  query ($ids: [ID!]!) {
    nodes(ids: $ids) {
      __typename
      ... on Issue {
        id number state ${reason} closedAt updatedAt locked
        repository { databaseId }
        ${more}
      }
    }
  }`;

const REASON = 'stateReason(enableDuplicate: true)';

/** By the words that may ask for it: with what blocks each, without, and with nothing that an old GitHub does not know. */
export const ISSUES_WITH_BLOCKERS = ISSUES(REASON, BLOCKED_BY);
export const ISSUES_ALONE = ISSUES(REASON, '');
export const ISSUES_OF_OLD = ISSUES('stateReason', '');

interface Answer {
  data: { nodes: unknown[] };
  errors?: object[];
}

/** Throws nothing: `ids` that are no ids are not found. GitHub takes 100 at once. */
export function answerIssues(site: Site, caller: Caller, ids: readonly string[], withBlockers: boolean): Answer | null {
  if (ids.length > 100) return null;
  const byNode = new Map(ids.map((id) => [id, findByNode(site, caller, id)]));
  const errors = ids.flatMap((id, index) => (byNode.get(id) === undefined ? [notFound(id, index)] : []));
  const nodes = ids.map((id) => {
    const place = byNode.get(id);
    return place === undefined ? null : describe(site, place, withBlockers);
  });
  return { data: { nodes }, ...(errors.length === 0 ? {} : { errors }) };
}

function notFound(id: string, index: number) {
  const message = `Could not resolve to a node with the global id of '${id}'.`;
  return { type: 'NOT_FOUND', path: ['nodes', index], locations: [{ line: 2, column: 3 }], message };
}

function findByNode(site: Site, caller: Caller, node: string): Place | undefined {
  const id = Number(Buffer.from(node.replace(/^[A-Z]+_kw/, ''), 'base64url').toString());
  const found = Number.isSafeInteger(id) ? findIssueById(site.world, id) : undefined;
  if (found === undefined || !isVisible(site, caller, found.repository)) return undefined;
  return nodeId(found.issue.isPullRequest ? 'PR' : 'I', id) === node ? found : undefined;
}

function describe(site: Site, { repository, issue }: Place, withBlockers: boolean) {
  if (issue.isPullRequest) return { __typename: 'PullRequest' };
  return {
    __typename: 'Issue',
    id: nodeId('I', issue.id),
    number: issue.number,
    state: issue.state.toUpperCase(),
    stateReason: issue.stateReason?.toUpperCase() ?? null,
    closedAt: issue.closedAt === null ? null : isoSeconds(issue.closedAt),
    updatedAt: isoSeconds(issue.updatedAt),
    locked: issue.locked,
    repository: { databaseId: repository.id },
    ...(withBlockers ? { blockedBy: describeBlockers(site, issue) } : {}),
  };
}

function describeBlockers({ world }: Site, waiting: Issue) {
  const nodes = blockersOf(world, waiting).map(({ repository, issue }) => ({
    number: issue.number,
    repository: { nameWithOwner: fullName(repository) },
  }));
  return { totalCount: nodes.length, nodes };
}
