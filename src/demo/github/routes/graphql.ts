/**
 * GraphQL, as far as it is asked: known queries by their exact words. Its errors come with status 200, beside what could be
 * answered.
 */
import { schemaErrors } from '../edition.ts';
import { ok } from '../http/answer.ts';
import type { ApiRequest, Route } from '../http/router.ts';
import { isoSeconds } from '../render/urls.ts';
import type { Site } from '../site.ts';
import type { Issue, Repository, User } from '../state/types.ts';
import { findRepository } from '../state/world.ts';
import { answerIssues, ISSUES_ALONE, ISSUES_OF_OLD, ISSUES_WITH_BLOCKERS } from './graphql-issues.ts';
import { isVisible } from './lookup.ts';

const BODY_EDITOR = words(`
  query ($owner: String!, $repo: String!, $number: Int!) {
    repository(owner: $owner, name: $repo) {
      databaseId
      issue(number: $number) {
        lastEditedAt
        editor { __typename login }
        author { __typename login }
      }
    }
  }`);

export const graphqlRoute: Route = {
  method: 'POST',
  operation: '/graphql',
  as: 'token',
  permission: ['issues', 'read'],
  undescribed: true,
  handle: answerQuery,
};

interface Variables {
  owner: string;
  repo: string;
  number: number;
}

function answerQuery(site: Site, { caller, body }: ApiRequest) {
  const { query, variables } = Object(body) as Record<string, unknown>;
  if (typeof query !== 'string')
    return ok({ errors: [{ message: 'A query attribute must be specified and must be a string.' }] });
  const unknown = schemaErrors(site.edition, query);
  if (unknown.length > 0) return ok({ errors: unknown });
  if (words(query) === words(ISSUES_WITH_BLOCKERS)) return answerNodes(site, caller, variables, true);
  if ([ISSUES_ALONE, ISSUES_OF_OLD].some((known) => words(query) === words(known)))
    return answerNodes(site, caller, variables, false);
  if (words(query) !== BODY_EDITOR) return ok({ errors: [{ message: 'The stand-in does not know this query' }] });
  if (!areVariables(variables)) return ok({ errors: [{ message: 'Variables of the query have invalid values' }] });
  const { owner, repo, number } = variables;
  const repository = findEverNamed(site, `${owner}/${repo}`);
  if (repository === undefined || !isVisible(site, caller, repository)) {
    const message = `Could not resolve to a Repository with the name '${owner}/${repo}'.`;
    return ok({ data: { repository: null }, errors: [{ type: 'NOT_FOUND', path: ['repository'], message }] });
  }
  const issue = repository.issues.get(number);
  if (issue !== undefined && !issue.isPullRequest) return ok({ data: { repository: describe(repository, issue) } });
  const message = `Could not resolve to an Issue with the number of ${number}.`;
  const errors = [{ type: 'NOT_FOUND', path: ['repository', 'issue'], message }];
  return ok({ data: { repository: { databaseId: repository.id, issue: null } }, errors });
}

function answerNodes(site: Site, caller: ApiRequest['caller'], variables: unknown, withBlockers: boolean) {
  const { ids } = Object(variables) as Record<string, unknown>;
  const areIds = Array.isArray(ids) && ids.every((id) => typeof id === 'string');
  const answer = areIds ? answerIssues(site, caller, ids, withBlockers) : null;
  return ok(answer ?? { errors: [{ message: 'Variables of the query have invalid values' }] });
}

function areVariables(value: unknown): value is Variables {
  const { owner, repo, number } = Object(value) as Record<string, unknown>;
  return typeof owner === 'string' && typeof repo === 'string' && Number.isInteger(number);
}

/** Former names are followed without a redirect. */
function findEverNamed({ world }: Site, name: string): Repository | undefined {
  return findRepository(world, name) ?? world.repositories.get(world.formerNames.get(name.toLowerCase()) ?? 0);
}

function describe(repository: Repository, { author, edited }: Issue) {
  const issue = {
    lastEditedAt: edited === null ? null : isoSeconds(edited.at),
    editor: edited === null ? null : describeActor(edited.by),
    author: describeActor(author),
  };
  return { databaseId: repository.id, issue };
}

/** Bots have their bare name here. */
function describeActor({ type, login }: User) {
  return { __typename: type, login: type === 'Bot' ? login.replace(/\[bot\]$/, '') : login };
}

function words(query: string): string {
  return query.trim().replace(/\s+/g, ' ');
}
