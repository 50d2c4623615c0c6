/**
 * What a person's verb does to a task, by its state (the event table): steps, or the one sentence why not. Pure; where the
 * verb came from (a comment, REST, the CLI) and who may say it is decided before.
 */
import { type BlockerView, blocking } from './blockers/blocker.ts';
import type { CloseEpisode, TrackedIssue } from './issue.ts';
import { authorisedEnding } from './plan/close.ts';
import { commandEffect, type Step } from './plan/steps.ts';
import { isLive, type Run } from './run.ts';
import { type Ending, isEnded, isUndecided, type Task } from './task.ts';

export const VERBS = ['cancel', 'retry', 'done', 'skip', 'hold', 'release', 'block', 'answer'] as const;
export type Verb = (typeof VERBS)[number];

export interface Command {
  verb: Verb;
  id: string;
  actor: string;
  /** `api` for REST and CLI, `command` for a comment. */
  cause: 'api' | 'command';
  /** `hold`'s reason, `block`'s question, `answer`'s text. */
  text: string | null;
  /** The message that tells what came of it; default: one of its own. */
  effect?: string;
}

export interface Subject {
  task: Task;
  run: Run | null;
  issue: TrackedIssue | null;
  /** What the task's issue is blocked by. */
  blockers?: readonly BlockerView[];
  /** The close that the task's target comes from, where it comes from one. */
  endingEpisode?: CloseEpisode | null;
}

/** `code` where programs have to tell it from other conflicts. */
export type Decision = { steps: readonly Step[] } | { conflict: string; code?: 'issue_closed' };

export function decide(command: Command, subject: Subject, now: Date): Decision {
  switch (command.verb) {
    case 'cancel':
    case 'skip':
      return decideEnd(command, subject, command.verb === 'cancel' ? 'cancelled' : 'skipped');
    case 'done':
      return decideDone(command, subject);
    case 'retry':
      return decideRetry(command, subject);
    case 'hold':
      return decideHold(command, subject, now);
    case 'release':
      return decideRelease(command, subject, now);
    case 'block':
      return decideBlock(command, subject, now);
    case 'answer':
      return decideAnswer(command, subject);
  }
}

function decideEnd(command: Command, { task, run }: Subject, state: 'cancelled' | 'skipped'): Decision {
  if (isEnded(task.state)) return endedAlready(task);
  const ending = endingOf(command, state);
  const effect = effectOf(command);
  if (!isLive(run)) return { steps: [{ step: 'end', ending, effect }] };
  if (run.state === 'stopping') return stoppingAlready(run);
  return { steps: [{ step: 'stop', target: { becomes: 'ended', ending, effect } }] };
}

function decideDone(command: Command, { task, run }: Subject): Decision {
  if (task.state === 'done') return endedAlready(task);
  const ending = endingOf(command, 'done');
  const effect = effectOf(command);
  if (!isLive(run)) return { steps: [{ step: 'end', ending, effect }] };
  const target = { becomes: 'ended' as const, ending, effect };
  return { steps: [run.state === 'stopping' ? { step: 'retarget', target } : { step: 'stop', target }] };
}

function decideRetry(command: Command, { task, run, issue }: Subject): Decision {
  if (!isEnded(task.state)) {
    if (isLive(run))
      return { conflict: `${task.key} is ${run.state === 'stopping' ? 'stopping' : 'running'}; nothing to retry` };
    if (task.blockers.length > 0) return { conflict: `${task.key} waits for an answer: use answer` };
    if (isUndecided(task))
      return {
        conflict: `${task.key} ${task.cause === 'review' ? 'waits for a review' : 'was not verified'}: use release, or done`,
      };
    if (task.state === 'blocked') return { conflict: `${task.key} waits for other issues: use release` };
    return {
      conflict: task.hold ? `${task.key} is on hold: use release` : `${task.key} has not run yet; it is ${task.state}`,
    };
  }
  if (issue !== null && issue.presence !== 'present') {
    return { conflict: `#${issue.number} was ${issue.presence}: link ${task.key} to another issue, or to none, first` };
  }
  if (issue?.state === 'closed') return closedIssue(issue);
  const requeue = { reason: 'retry' as const, actor: command.actor, episodeId: null };
  return { steps: [{ step: 'requeue', requeue, effect: effectOf(command) }] };
}

function decideHold({ actor, text }: Command, { task }: Subject, now: Date): Decision {
  if (isEnded(task.state)) return endedAlready(task);
  return { steps: [{ step: 'hold', hold: { reason: text, actor, at: now }, actor }] };
}

function decideRelease(command: Command, subject: Subject, now: Date): Decision {
  const { actor } = command;
  const { task, run, issue, blockers = [], endingEpisode = null } = subject;
  const steps: Step[] = [];
  if (isEnded(task.state)) {
    if (task.hold === null) return endedAlready(task);
  } else if (blocking(task, blockers).length > 0) {
    steps.push(releaseOf(task, blockers, { actor, at: now }));
  }
  if (task.hold !== null) steps.push({ step: 'hold', hold: null, actor });
  if (task.state === 'blocked' && task.cause === 'survivors' && isLive(run)) {
    const ending = task.target === null ? survived(actor) : authorisedEnding(task.target, endingEpisode);
    if (ending === null) return { conflict: 'what the closer of its issue may say is still being read: try again' };
    steps.push({ step: 'disregard_survivors', ending });
  }
  if (isUndecided(task)) {
    if (issue?.state === 'closed') return closedIssue(issue);
    steps.push({ step: 'requeue', requeue: { reason: 'retry', actor, episodeId: null }, effect: effectOf(command) });
  }
  if (steps.length > 0) return { steps };
  if (task.blockers.length > 0) return { conflict: `${task.key} waits for an answer: use answer` };
  return { conflict: `${task.key} is not on hold` };
}

/** What blocks now is not waited for any more, whatever becomes of it; what was released before stays so. */
export function releaseOf(
  task: Pick<Task, 'released'>,
  blockers: readonly BlockerView[],
  by: { actor: string; at: Date },
): Extract<Step, { step: 'release_blockers' }> {
  const labels = new Set(blocking(task, blockers).map(({ label }) => label));
  const kept = task.released.filter(({ blocker }) => !labels.has(blocker));
  const added = [...labels].map((blocker) => ({ blocker, ...by }));
  return { step: 'release_blockers', released: [...kept, ...added], actor: by.actor };
}

/** A run that ended by itself, and left something behind. */
function survived(actor: string): Ending {
  return { state: 'failed', cause: 'survivors', actor, episodeId: null };
}

function decideBlock({ id, actor, text }: Command, { task }: Subject, now: Date): Decision {
  if (isEnded(task.state)) return endedAlready(task);
  if (text === null || text.trim() === '') return { conflict: 'block needs a question' };
  return { steps: [{ step: 'set_blockers', blockers: [...task.blockers, { id, question: text, actor, at: now }] }] };
}

function decideAnswer({ text, actor }: Command, { task }: Subject): Decision {
  if (task.blockers.length === 0) return { conflict: `${task.key} asks no question` };
  return { steps: [{ step: 'set_blockers', blockers: [], answer: { text, actor } }] };
}

/** Ties a task to another issue of its repository, or (null) to none. */
export function decideLink(target: TrackedIssue | null, { run }: Subject, actor: string): Decision {
  if (isLive(run) && run.state === 'stopping') return stoppingAlready(run);
  if (target !== null && target.presence !== 'present') return { conflict: `#${target.number} was ${target.presence}` };
  if (target?.state === 'closed') return closedIssue(target);
  if (target?.isPullRequest) return { conflict: `#${target.number} is a pull request, not an issue` };
  return { steps: [{ step: 'link', issueNumber: target?.number ?? null, actor }] };
}

function endingOf({ cause, actor }: Command, state: Ending['state']): Ending {
  return { state, cause, actor, episodeId: null };
}

function effectOf({ id, actor, effect }: Command): string {
  return effect ?? commandEffect(id, actor);
}

function endedAlready({ key, state, finishedAt }: Task): Decision {
  const ways = `retry runs it again${state === 'done' ? '' : ', done counts it as done'}`;
  return { conflict: `${key} is ${state} since ${finishedAt?.toISOString() ?? 'some time'}: ${ways}` };
}

function closedIssue({ number }: TrackedIssue): Decision {
  return { conflict: `#${number} is closed: reopen it first`, code: 'issue_closed' };
}

function stoppingAlready(run: Run): Decision {
  return { conflict: `run ${run.number} is stopping since ${run.cancelRequestedAt?.toISOString() ?? 'some time'}` };
}
