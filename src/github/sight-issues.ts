/** Many issues by one query, each answered for itself: a part that is missing says nothing against the rest. */
import { z } from 'zod';
import type { IssueSight, RepositoryRef } from '../engine/ports.ts';
import { bodyOf, type GitHubClient, type Reply } from './client.ts';
import { idSchema, instant, issueNumberSchema, toReason } from './schemas.ts';

/** GitHub allows an issue 50 of each kind; where there are more, its own listing has to tell them whole. */
const MOST_BLOCKERS = 50;

const BLOCKED_BY = `blockedBy(first: ${MOST_BLOCKERS}) { totalCount nodes { number repository { nameWithOwner } } }`;

/** Told apart from `NOT_PLANNED` only for who asks so. https://docs.github.com/graphql/reference/enums#issuestatereason */
const DUPLICATES = '(enableDuplicate: true)';

/** What not every GitHub knows, in its own refusals of it. */
const REFUSALS = {
  blockers: /^field 'blockedBy' doesn't exist on type 'Issue'/i,
  duplicates: /^field 'stateReason' doesn't accept argument 'enableDuplicate'/i,
} as const;

type Extra = keyof typeof REFUSALS;

/**
 * Its one connection is asked for at most 100 times, which is 1 point of 5,000 an hour; no query costs less.
 * https://docs.github.com/graphql/overview/rate-limits-and-query-limits-for-the-graphql-api
 */
function queryOf(lacking: ReadonlySet<Extra>): string {
  return `query ($ids: [ID!]!) {
  nodes(ids: $ids) {
    __typename
    ... on Issue {
      id number state stateReason${lacking.has('duplicates') ? '' : DUPLICATES} closedAt updatedAt locked
      repository { databaseId }
      ${lacking.has('blockers') ? '' : BLOCKED_BY}
    }
  }
}`;
}

const answerSchema = z.object({
  data: z.object({ nodes: z.array(z.unknown()) }).nullish(),
  errors: z
    .array(
      z.object({
        type: z.string().nullish(),
        message: z.string(),
        path: z.array(z.union([z.string(), z.number()])).nullish(),
      }),
    )
    .nullish(),
});

type Answer = z.infer<typeof answerSchema>;

const nodeSchema = z
  .object({
    __typename: z.literal('Issue'),
    number: issueNumberSchema,
    state: z.enum(['OPEN', 'CLOSED']),
    stateReason: z.string().nullish(),
    closedAt: instant.nullable(),
    updatedAt: instant,
    locked: z.boolean(),
    repository: z.object({ databaseId: idSchema }),
    blockedBy: z
      .object({
        totalCount: z.number().int().nonnegative(),
        nodes: z.array(
          z.object({ number: issueNumberSchema, repository: z.object({ nameWithOwner: z.string() }) }).nullable(),
        ),
      })
      .nullish(),
  })
  .refine(({ state, closedAt }) => state === 'OPEN' || closedAt !== null, { path: ['closedAt'] });

const otherSchema = z.object({ __typename: z.string().refine((name) => name !== 'Issue') });

export type SightIssues = (
  repository: RepositoryRef,
  nodeIds: readonly string[],
) => Promise<ReadonlyMap<string, IssueSight>>;

export function makeSightIssues(client: GitHubClient): SightIssues {
  const lacking = new Set<Extra>();

  return async (repository, nodeIds) => {
    if (nodeIds.length === 0) return new Map();
    let { reply, told } = await ask(client, repository, { query: queryOf(lacking), nodeIds });
    const refused = told.data == null ? refusedOf(told) : [];
    if (refused.length > 0) {
      for (const extra of refused) lacking.add(extra);
      ({ reply, told } = await ask(client, repository, { query: queryOf(lacking), nodeIds }));
    }
    const nodes = told.data?.nodes;
    if (nodes === undefined || nodes.length !== nodeIds.length) throw reply.error();
    return sightsOf(nodeIds, nodes, told);
  };
}

async function ask(
  client: GitHubClient,
  repository: RepositoryRef,
  { query, nodeIds }: { query: string; nodeIds: readonly string[] },
): Promise<{ reply: Reply; told: Answer }> {
  const reply = await client.query(repository, query, { ids: nodeIds });
  return { reply, told: bodyOf(reply, answerSchema) };
}

/** By an Enterprise Server whose schema is older; one answer names all that it does not know. */
function refusedOf({ errors }: Answer): Extra[] {
  const extras = Object.keys(REFUSALS) as Extra[];
  return extras.filter((extra) => (errors ?? []).some(({ message }) => REFUSALS[extra].test(message)));
}

function sightsOf(nodeIds: readonly string[], nodes: readonly unknown[], told: Answer): Map<string, IssueSight> {
  const sights = new Map<string, IssueSight>();
  for (const [index, id] of nodeIds.entries()) {
    const sight = sightOf(nodes[index], isNotFound(told, index));
    if (sight !== null) sights.set(id, sight);
  }
  return sights;
}

/** A null without GitHub's own word that there is no such thing is no answer. */
function isNotFound({ errors }: Answer, index: number): boolean {
  return (errors ?? []).some(
    ({ type, path }) => type === 'NOT_FOUND' && path?.length === 2 && path[0] === 'nodes' && path[1] === index,
  );
}

/** null: it was not answered for. */
function sightOf(node: unknown, isMissing: boolean): IssueSight | null {
  if (node === null) return isMissing ? { sight: 'missing' } : null;
  if (otherSchema.safeParse(node).success) return { sight: 'missing' };
  const parsed = nodeSchema.safeParse(node);
  if (!parsed.success) return null;
  const { number, state, stateReason, closedAt, updatedAt, locked, repository, blockedBy } = parsed.data;
  const isClosed = state === 'CLOSED';
  return {
    sight: 'issue',
    repositoryId: repository.databaseId,
    number,
    state: isClosed ? 'closed' : 'open',
    reason: toReason(isClosed ? (stateReason?.toLowerCase() ?? null) : null),
    closedAt: isClosed ? closedAt : null,
    updatedAt,
    locked,
    blockedBy: blockersOf(blockedBy),
  };
}

/** null: this GitHub doesn't tell, or doesn't tell all. What blocks and can't be read is null, and its name unknown. */
function blockersOf(blockedBy: z.infer<typeof nodeSchema>['blockedBy']): readonly string[] | null {
  if (blockedBy == null || blockedBy.totalCount !== blockedBy.nodes.length) return null;
  const labels = blockedBy.nodes.map((node) => node && `${node.repository.nameWithOwner}#${node.number}`);
  return labels.every((label) => label !== null) ? labels : null;
}
