/**
 * Whether whoever wrote a line or took an edge away may do so. A line counts from `triage` on, as GitHub itself asks for a
 * dependency; taking one away starts work and needs what `release` needs. What can't be read leaves the edge blocking.
 */
import type { IssueBlocker } from '../core/blockers/blocker.ts';
import type { Authority, TrackedIssue } from '../core/issue.ts';
import type { Permission } from '../core/policy.ts';
import { authorityOf, orGiveUp } from './authority.ts';
import type { Deps } from './deps.ts';
import { GitHubError, type GitHubReader, type RepositoryRef } from './ports.ts';
import { readIssue, repositoryOf } from './read-issue.ts';
import { viewEdge } from './view-blockers.ts';

const MAY_BLOCK: Permission = 'triage';

export interface Judged {
  edge: IssueBlocker;
  /** `gone`: the edge is no more. */
  verdict: 'active' | 'refused' | 'kept' | 'gone';
  /** Who wrote it, or took it away; null where GitHub did not tell. */
  actor: string | null;
}

interface Question {
  issue: TrackedIssue;
  edges: readonly IssueBlocker[];
  /** How often the look that asks has failed before. */
  failures: number;
}

type Reading = Deps & { github: GitHubReader };

export function needsJudgement({ state }: IssueBlocker): boolean {
  return state === 'pending' || state === 'leaving';
}

/** Throws while trying again may help. */
export async function judgeBlockers(deps: Reading, question: Question): Promise<readonly Judged[]> {
  const repository = await repositoryOf(deps, question.issue.repositoryId);
  const { harmless, open } = await sortOut(deps, question.edges);
  const ofSource = (source: IssueBlocker['source']) => ({
    ...question,
    edges: open.filter((edge) => edge.source === source),
  });
  const lines = await judgeLines(deps, repository, ofSource('body'));
  return [...harmless, ...lines, ...(await judgeDependencies(deps, repository, ofSource('dependency')))];
}

/** What is resolved anybody may take away: it keeps nothing from starting. */
async function sortOut(
  deps: Deps,
  edges: readonly IssueBlocker[],
): Promise<{ harmless: readonly Judged[]; open: readonly IssueBlocker[] }> {
  const harmless: Judged[] = [];
  const open: IssueBlocker[] = [];
  for (const edge of edges) {
    const isOver = edge.state === 'leaving' && (await viewEdge(deps, edge)).status === 'resolved';
    if (isOver) harmless.push({ edge, actor: null, verdict: 'gone' });
    else open.push(edge);
  }
  return { harmless, open };
}

/** The body is one text: its last editor answers for all of it. */
async function judgeLines(deps: Reading, repository: RepositoryRef, question: Question): Promise<Judged[]> {
  const { issue, edges, failures } = question;
  if (edges.length === 0) return [];
  const actor = await orGiveUp(deps, { ...issue, failures }, () => deps.github.readEditor(repository, issue.number));
  const judged: Judged[] = [];
  for (const edge of edges) {
    const needed = edge.state === 'pending' ? MAY_BLOCK : (await deps.policyOf(issue.repositoryId)).permissions.release;
    const authority = await authorityOf(deps, { ref: issue, actor, needed }, failures);
    judged.push({ edge, actor, verdict: verdictOn(edge, authority) });
  }
  return judged;
}

function verdictOn({ state }: IssueBlocker, authority: Authority): Judged['verdict'] {
  if (state === 'pending') return authority === 'denied' ? 'refused' : 'active';
  return authority === 'granted' ? 'gone' : 'kept';
}

/** Which removal was whose is not told: each of the newest has to be of someone who may. */
async function judgeDependencies(deps: Reading, repository: RepositoryRef, question: Question): Promise<Judged[]> {
  const { issue, failures } = question;
  const judged: Judged[] = [];
  const removed: IssueBlocker[] = [];
  for (const edge of question.edges) {
    if (await isThere(deps, edge, failures)) removed.push(edge);
    else judged.push({ edge, actor: null, verdict: 'kept' });
  }
  if (removed.length === 0) return judged;
  const actors = await orGiveUp(deps, { ...issue, failures }, () =>
    readRemovers(deps, repository, issue.number, removed.length),
  );
  const unfit = actors === null ? null : await firstWithoutRelease(deps, question, actors);
  const verdict = actors !== null && unfit === null ? 'gone' : 'kept';
  const actor = unfit ?? actors?.[0] ?? null;
  return [...judged, ...removed.map((edge): Judged => ({ edge, actor, verdict }))];
}

/** With an issue its dependencies go, too, and nobody took them away. */
async function isThere(deps: Reading, { blocker, ...blocked }: IssueBlocker, failures: number): Promise<boolean> {
  const { repositoryId, number } = blocker;
  if (repositoryId === null) return true;
  const issue = await orGiveUp(deps, { ...blocked, failures }, () => readIssue(deps, { repositoryId, number }));
  return issue?.presence === 'present';
}

async function readRemovers(
  { github }: Reading,
  repository: RepositoryRef,
  number: number,
  count: number,
): Promise<readonly string[]> {
  const actors = await github.readUnblockers(repository, number, count);
  // The timeline may be behind what the list of dependencies shows.
  if (actors.length < count) throw new GitHubError('retryable', `who unblocked issue ${number} is not told yet`);
  return actors;
}

async function firstWithoutRelease(
  deps: Reading,
  { issue, failures }: Question,
  actors: readonly string[],
): Promise<string | null> {
  const needed = (await deps.policyOf(issue.repositoryId)).permissions.release;
  for (const actor of new Set(actors)) {
    if ((await authorityOf(deps, { ref: issue, actor, needed }, failures)) !== 'granted') return actor;
  }
  return null;
}
