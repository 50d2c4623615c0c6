/**
 * One issue: its close episodes follow its state, and its tasks and those that wait for it are looked at. Whose close or reopen
 * it was, and what the issue itself is blocked by, is read last.
 */
import type { Authority, CloseEpisode, IssueRef, TrackedIssue } from '../core/issue.ts';
import { forOwnClose } from '../core/plan/done.ts';
import { type IssueStep, planIssue } from '../core/plan/issue.ts';
import { awaitsReopen } from '../core/plan/reopen.ts';
import type { Policy } from '../core/policy.ts';
import type { Task } from '../core/task.ts';
import { isHidden } from './access/index.ts';
import { authorityOf } from './authority.ts';
import { isOwnClose } from './close-on-done.ts';
import type { Deps } from './deps.ts';
import { githubNow, onOurClock } from './github-clock.ts';
import { issueEvent } from './journal.ts';
import { issueKey } from './keys.ts';
import { isRefused, lastReopening, takeLaterReopen } from './later-reopen.ts';
import { isUnfinished, looksAtTasks, looksBehind } from './looks.ts';
import { isOverdue, readOverdue } from './overdue.ts';
import type { Write } from './ports.ts';
import { readIssue } from './read-issue.ts';
import { reconcileBlockers } from './reconcile-blockers.ts';
import { statusWrites } from './transition/parts.ts';

export async function reconcileIssue(deps: Deps, ref: IssueRef, failures = 0): Promise<void> {
  // An app that stood still since then may have missed the reopen that voids a close: its delay was not over by then.
  const lookedFrom = githubNow(deps);
  const known = await deps.store.issue(ref);
  if (known === null) return;
  // Asked for in vain, again and again; all that is due is looked at once the repository is back.
  if (known.readDue && (await isHidden(deps.store, ref.repositoryId))) return;
  const issue = await upToDate(deps, known, failures);
  if (issue === null) return;
  if (!(await followState(deps, issue, lookedFrom))) {
    // Another flow moved the issue or its episode meanwhile: what was seen here is old.
    await deps.store.queue.enqueue([{ key: issueKey(ref), dueAt: deps.clock() }]);
    return;
  }
  await settleCloses(deps, issue, failures);
  await reconcileBlockers(deps, ref, failures);
}

async function upToDate(deps: Deps, known: TrackedIssue, failures: number): Promise<TrackedIssue | null> {
  if (known.readDue) return readIssue(deps, known);
  const isAsked = (await isOverdue(deps, known)) && !(await isHidden(deps.store, known.repositoryId));
  return isAsked ? readOverdue(deps, known, failures) : known;
}

async function settleCloses(deps: Deps, issue: TrackedIssue, failures: number): Promise<void> {
  const episode = await deps.store.newestEpisode(issue.nodeId);
  if (episode === null) return;
  if (isRefused(episode)) await takeLaterReopen(deps, issue, episode, failures);
  await settleAuthority(deps, issue, episode, failures);
  for (const earlier of await earlierInForce(deps, issue, episode)) {
    await settleAuthority(deps, issue, earlier, failures);
  }
}

/**
 * Closes that a stop still answers, although the issue was closed again since: if the app died before it had read their closer's
 * permission, no later look at the newest close would.
 */
async function earlierInForce({ store }: Deps, ref: IssueRef, newest: CloseEpisode): Promise<CloseEpisode[]> {
  const ids = new Set((await store.tasksOfIssue(ref)).map((task) => task.target?.ending.episodeId ?? newest.id));
  ids.delete(newest.id);
  const episodes = await Promise.all([...ids].map((id) => store.episode(id)));
  return episodes.filter((episode) => episode !== null);
}

/** False: a guard did not hold. A task that came after its issue's close was acted on is looked at all the same. */
async function followState(deps: Deps, issue: TrackedIssue, lookedFrom: Date): Promise<boolean> {
  const newest = await deps.store.newestEpisode(issue.nodeId);
  const policy = await policyFor(deps, issue, newest);
  const steps = planIssue(issue, newest, policy, lookedFrom);
  const writes = await writesOf(deps, { issue, newest, policy }, steps);
  return writes.length === 0 || deps.store.commit(writes);
}

/** What a close that has not been followed yet comes to hangs on whose it is. */
async function policyFor(deps: Deps, issue: TrackedIssue, newest: CloseEpisode | null): Promise<Policy> {
  const policy = await deps.policyOf(issue.repositoryId);
  if (issue.state === 'open' || isFollowed(issue, newest)) return policy;
  return (await isOwnClose(deps, issue)) ? forOwnClose(policy) : policy;
}

function isFollowed({ closedAt }: TrackedIssue, newest: CloseEpisode | null): boolean {
  if (newest === null || newest.closedAt.getTime() !== closedAt?.getTime()) return false;
  return newest.state === 'acted' || newest.state === 'pending';
}

interface IssueView {
  issue: TrackedIssue;
  newest: CloseEpisode | null;
  policy: Policy;
}

async function writesOf(deps: Deps, view: IssueView, steps: readonly IssueStep[]): Promise<Write[]> {
  const { issue, newest, policy } = view;
  const writes = steps.flatMap((step) => writesOfStep(deps, issue, newest, step));
  if (steps.every((step) => step.step === 'recheck')) {
    // A reopen was judged while the issue was closed once more: nobody has answered it for the tasks yet.
    const isOwed = (task: Task) => isUnfinished(task) || awaitsReopen({ task, episode: newest, issue }, policy);
    return [...writes, ...(await looksAtTasks(deps, issue, isOwed)), ...(await looksBehind(deps, issue))];
  }
  // The state that this follows must still be the newest: a close that is old by now would take its reopen back.
  const guard: Write = { write: 'issue.update', ref: refOf(issue), version: issue.version, set: {} };
  const looks = [...(await looksAtTasks(deps, issue)), ...(await looksBehind(deps, issue))];
  // It tells how to run again what has ended: not on a closed issue.
  const status = statusWrites({ repositoryId: issue.repositoryId, issueNumber: issue.number }, deps.clock());
  return [guard, ...writes, ...looks, ...status];
}

function writesOfStep(deps: Deps, issue: TrackedIssue, newest: CloseEpisode | null, step: IssueStep): Write[] {
  const now = deps.clock();
  const id = newest?.id ?? '';
  switch (step.step) {
    case 'open_episode': {
      const episode = { ...step.episode, id: deps.newId('episode'), learnedAt: now };
      const { reason, actor, action, state } = episode;
      return [
        { write: 'episode.insert', episode },
        issueEvent('ISSUE_CLOSED', now, issue, { episode: episode.id, reason, actor, action, state }),
      ];
    }
    case 'renew': {
      const { state, authority, actor, reason, action } = step.episode;
      const set = { state, authority, actor, reason, action, reopen: null };
      return [
        { write: 'episode.update', id, from: ['voided', 'undone'], set },
        issueEvent('ISSUE_CLOSED', now, issue, { episode: id, reason, actor, action, state }),
      ];
    }
    case 'act':
      return [{ write: 'episode.update', id, from: ['pending'], set: { state: 'acted', action: step.action } }];
    case 'void':
      return [
        { write: 'episode.update', id, from: ['pending'], set: { state: 'voided' } },
        issueEvent('ISSUE_CLOSE_VOIDED', now, issue, { episode: id }),
      ];
    case 'undo': {
      const reopen = { actor: step.actor, authority: 'pending' as const, at: now };
      return [
        { write: 'episode.update', id, from: ['acted'], set: { state: 'undone', reopen } },
        issueEvent('ISSUE_REOPENED', now, issue, { episode: id, actor: step.actor }),
      ];
    }
    case 'recheck':
      return [{ write: 'work.enqueue', key: issueKey(issue), dueAt: onOurClock(deps, step.at) }];
  }
}

function refOf({ repositoryId, number }: IssueRef): IssueRef {
  return { repositoryId, number };
}

/** Reads whether the closer may say `done`, and whether the reopener may start work. */
async function settleAuthority(
  deps: Deps,
  issue: TrackedIssue,
  episode: CloseEpisode,
  failures: number,
): Promise<void> {
  const { permissions } = await deps.policyOf(issue.repositoryId);
  if (episode.authority === 'pending') {
    const question = { ref: issue, actor: episode.actor, needed: permissions.done };
    const authority = await authorityOf(deps, question, failures);
    await keepAuthority(deps, issue, episode, { authority });
  }
  if (episode.reopen?.authority === 'pending') {
    const actor = episode.reopen.actor ?? (await lastReopening(deps, issue, failures))?.actor ?? null;
    const authority = await authorityOf(deps, { ref: issue, actor, needed: permissions.retry }, failures);
    await keepAuthority(deps, issue, episode, { reopen: { ...episode.reopen, actor, authority } });
  }
}

async function keepAuthority(
  deps: Deps,
  issue: TrackedIssue,
  { id }: CloseEpisode,
  set: { authority: Authority } | { reopen: NonNullable<CloseEpisode['reopen']> },
): Promise<void> {
  const write: Write = { write: 'episode.update', id, from: ['pending', 'acted', 'voided', 'undone'], set };
  // Only here, where it is judged once: looks at issues that block each other would never end.
  const blocked = (await deps.store.issuesBlockedBy(issue)).map(
    (ref): Write => ({ write: 'work.enqueue', key: issueKey(ref), dueAt: deps.clock() }),
  );
  const looks = [...(await looksAtTasks(deps, issue)), ...(await looksBehind(deps, issue))];
  await deps.store.commit([write, ...looks, ...blocked]);
}
