/** A person's word on a task, from REST, the CLI or a comment: decided purely, written with a guard, carried out at once. */
import { type Command, type Decision, decide, decideLink, type Subject, type Verb } from '../core/command.ts';
import { satisfies } from '../core/plan/batch.ts';
import { isLive } from '../core/run.ts';
import { isEnded, isUndecided, type Task } from '../core/task.ts';
import type { Deps } from './deps.ts';
import { taskKey } from './keys.ts';
import { liveBatch } from './live-batch.ts';
import type { Write } from './ports.ts';
import { readIssue } from './read-issue.ts';
import { type RowStep, transition } from './transition/index.ts';
import { viewBlockersOf } from './view-blockers.ts';

export interface ActInput {
  actor: string;
  cause: Command['cause'];
  text?: string;
  /** The message that tells what came of it; default: one of its own. */
  effect?: string;
  /** When it was said, by our clock: a run that began later is neither stopped nor repeated by it. Default: now. */
  saidAt?: Date;
  /** Written together with what the verb does; where a guard of it fails, nothing is done. */
  also?: readonly Write[];
}

export type ActResult =
  | { result: 'accepted'; task: Task }
  /** `batchId`: of the other batch that is in the way. */
  | { result: 'conflict'; message: string; code?: 'issue_closed'; batchId?: string }
  | { result: 'not_found' };

type Conflict = { conflict: string; code?: 'issue_closed'; batchId?: string };

/** The task moved under the decision this often: something else drives it hard, and the caller may say it again. */
const MAX_ROUNDS = 8;
/** More needs than anybody reads in one sentence. */
const MAX_NAMED = 5;

/** Throws `GitHubError` where a retry's issue can't be read. */
export async function act(deps: Deps, taskId: string, verb: Verb, input: ActInput): Promise<ActResult> {
  const { actor, cause, text = null, effect, saidAt, also = [] } = input;
  const own = effect === undefined ? {} : { effect };
  const command: Command = { verb, id: deps.newId('command'), actor, cause, text, ...own };
  const decided = async (subject: Subject) => {
    const later = saidAt === undefined ? null : begunLater(verb, await ofWork(deps, subject), saidAt);
    if (later !== null) return later;
    if (!startsOver(verb, subject.task)) return decide(command, subject, deps.clock());
    const bar = (await barOf(deps, subject.task)) ?? (await lostNeedOf(deps, subject.task));
    if (bar !== null) return bar;
    return decide(command, { ...subject, issue: await liveIssueOf(deps, subject) }, deps.clock());
  };
  return carryOut(deps, taskId, decided, also);
}

function startsOver(verb: Verb, task: Task): boolean {
  return verb === 'retry' || (verb === 'release' && isUndecided(task));
}

/** A verify run is a part of the work that it judges: it counts from the beginning of that. */
async function ofWork({ store }: Deps, { task, run }: Subject): Promise<Pick<Subject, 'task' | 'run'>> {
  if (run?.purpose !== 'verify') return { task, run };
  const runs = (await store.queries.runsOfTasks([task.id])).get(task.id) ?? [];
  const createdAt = runs.findLast(({ purpose }) => purpose === 'work')?.createdAt ?? run.createdAt;
  return { task, run: { ...run, createdAt } };
}

/** Whoever asked for a stop, or for another run, did not know of this one. */
function begunLater(verb: Verb, { task, run }: Pick<Subject, 'task' | 'run'>, saidAt: Date): Conflict | null {
  if (run === null || run.createdAt <= saidAt) return null;
  const stops = verb === 'cancel' || verb === 'skip' || verb === 'done';
  const isMeant = isLive(run) ? stops : verb === 'retry';
  return isMeant ? { conflict: `run ${run.number} of ${task.key} began after this was said: say it again` } : null;
}

/** One batch of a name is live: work of an older one would run beside it, and what needs that work could not follow. */
async function barOf(deps: Deps, { batchId }: Task): Promise<Conflict | null> {
  const batch = batchId === null ? null : await deps.store.batch(batchId);
  if (batch === null) return null;
  if (batch.order?.kind === 'cancel') return { conflict: `its batch ${batch.name} is being cancelled` };
  const live = await liveBatch(deps, batch);
  if (live === null || live.id === batch.id) return null;
  return { conflict: `another batch ${batch.name} is running as ${live.id}: cancel it first`, batchId: live.id };
}

/** Without what it needs it would be skipped once more; with that, it comes back by itself. */
async function lostNeedOf({ store }: Deps, { key, state, cause, batchId, needs }: Task): Promise<Conflict | null> {
  if (state !== 'skipped' || cause !== 'dependency' || batchId === null) return null;
  const members = await store.membersOfBatch(batchId);
  const lost = members.filter((need) => needs.includes(need.key) && isEnded(need.state) && !satisfies(need));
  if (lost.length === 0) return null;
  const named = lost.slice(0, MAX_NAMED).map((need) => `${need.key} (${need.state})`);
  return { conflict: `${key} needs ${named.join(', ')}: retry that first, and ${key} waits for it again` };
}

/** What an end is left for needs an open issue, and a webhook may have been lost. */
async function liveIssueOf(deps: Deps, { task, issue }: Subject): Promise<Subject['issue']> {
  if (task.issueNumber === null || !isEnded(task.state)) return issue;
  return readIssue(deps, { repositoryId: task.repositoryId, number: task.issueNumber });
}

/** `issueNumber` null: unlink. Throws `GitHubError` where the issue can't be read. */
export async function linkTask(
  deps: Deps,
  taskId: string,
  issueNumber: number | null,
  { actor, also = [] }: Pick<ActInput, 'actor' | 'also'>,
): Promise<ActResult> {
  const decided = async (subject: Subject) => {
    if (issueNumber === null) return decideLink(null, subject, actor);
    const issue = await readIssue(deps, { repositoryId: subject.task.repositoryId, number: issueNumber });
    return issue === null ? { conflict: `issue #${issueNumber} does not exist` } : decideLink(issue, subject, actor);
  };
  return carryOut(deps, taskId, decided, also);
}

async function carryOut(
  deps: Deps,
  taskId: string,
  decided: (subject: Subject) => Promise<Decision | Conflict>,
  also: readonly Write[],
): Promise<ActResult> {
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const subject = await subjectOf(deps, taskId);
    if (subject === null) return { result: 'not_found' };
    const decision = await decided(subject);
    if ('conflict' in decision) {
      const { conflict: message, ...other } = decision;
      return { result: 'conflict', message, ...other };
    }
    const task = await write(deps, subject, decision.steps as readonly RowStep[], also);
    if (task !== null) return { result: 'accepted', task };
  }
  return { result: 'conflict', message: 'the task kept changing: try again' };
}

export async function subjectOf(deps: Deps, taskId: string): Promise<Subject | null> {
  const { store } = deps;
  const task = await store.task(taskId);
  if (task === null) return null;
  const run = await store.newestRun(taskId);
  const number = task.issueNumber;
  const issue = number === null ? null : await store.issue({ repositoryId: task.repositoryId, number });
  const episodeId = task.target?.ending.episodeId ?? null;
  const endingEpisode = episodeId === null ? null : await store.episode(episodeId);
  const blockers = issue === null ? [] : await viewBlockersOf(deps, issue);
  return { task, run, issue, blockers, endingEpisode };
}

/** All of a verb's steps in one transaction; the task's own reconcile sends the signals. null: a guard did not hold. */
async function write(
  deps: Deps,
  subject: Subject,
  steps: readonly RowStep[],
  also: readonly Write[],
): Promise<Task | null> {
  const now = deps.clock();
  const { writes, task } = writesOf(subject, steps, now);
  const look = { write: 'work.enqueue' as const, key: taskKey(task.id), dueAt: now };
  return (await deps.store.commit([...writes, ...also, look])) ? task : null;
}

export function writesOf(subject: Subject, steps: readonly RowStep[], now: Date): { writes: Write[]; task: Task } {
  let state: Pick<Subject, 'task' | 'run'> = subject;
  const writes = steps.flatMap((step) => {
    const next = transition(state, step, now);
    state = next;
    return next.writes;
  });
  return { writes, task: state.task };
}
