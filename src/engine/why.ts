/**
 * Gathers why tasks are not running, as things are now. What all of them share is read once; what has to be read issue by
 * issue is read for few tasks, or for those of many that are known to be blocked by issues.
 */
import type { Batch } from '../core/batch.ts';
import { covers, type ScopedHold } from '../core/hold.ts';
import type { IssueRef } from '../core/issue.ts';
import { type ShownBlocker, showBlockers } from '../core/report/blockers.ts';
import {
  evidenceWords,
  type Limit,
  type SeenBlocker,
  silenceWords,
  type WaitingFacts,
  waitingOn,
} from '../core/report/waiting.ts';
import type { Run } from '../core/run.ts';
import { placesOf } from '../core/schedule.ts';
import { isEnded, type Task } from '../core/task.ts';
import type { Deps } from './deps.ts';
import type { LiveRun, RepositoryRef } from './ports.ts';
import { silenceOf } from './silence.ts';
import { viewBlockersOf } from './view-blockers.ts';

type WhyDeps = Pick<Deps, 'store' | 'runners' | 'limits' | 'clock'>;

export interface TaskNow {
  /** One line; null: it has ended, or runs and nobody has to see to it. */
  waitingOn: string | null;
  /** The issues that its own is blocked by; those that block it now come first. */
  blockers: readonly ShownBlocker[];
}

/** Of so few tasks each issue is looked at. */
const FEW = 20;
/** Of more tasks so many issues. */
const MAX_LOOKED_AT = 100;

export async function whyNotRunning(
  deps: WhyDeps,
  tasks: readonly Task[],
): Promise<ReadonlyMap<string, string | null>> {
  const looks = await lookAtTasks(deps, tasks);
  return new Map([...looks].map(([id, look]) => [id, look.waitingOn]));
}

/** The same of a batch that is in no store: as far as anything is known of what its tasks would wait for. */
export function lookAtPlanned(
  deps: WhyDeps,
  batch: Batch,
  tasks: readonly Task[],
): Promise<ReadonlyMap<string, TaskNow>> {
  const { store } = deps;
  const members = tasks.map((task) => ({ ...task, stopping: false }));
  const planned: Pick<WhyDeps['store'], 'batch' | 'membersOfBatch'> = {
    batch: async (id) => (id === batch.id ? batch : store.batch(id)),
    membersOfBatch: async (id) => (id === batch.id ? members : store.membersOfBatch(id)),
  };
  return lookAtTasks({ ...deps, store: Object.assign(Object.create(store) as WhyDeps['store'], planned) }, tasks);
}

/** Every task given is in the answer. */
export async function lookAtTasks(deps: WhyDeps, tasks: readonly Task[]): Promise<ReadonlyMap<string, TaskNow>> {
  const [issues, unheard] = await Promise.all([lookAtIssues(deps, tasks), gatherUnheard(deps, tasks)]);
  const idle = tasks.filter(isIdle);
  const shared = idle.length === 0 ? null : await gather(deps, idle);
  return new Map(
    tasks.map((task) => {
      const seen = issues.get(issueId(task))?.blockers ?? null;
      const idleWords = shared !== null && isIdle(task) ? waitingOn(factsOf(deps, task, { shared, issues })) : null;
      const words = idleWords ?? unheard.get(task.id) ?? evidenceWords(task);
      return [task.id, { waitingOn: words, blockers: showBlockers(task, seen ?? []) }];
    }),
  );
}

/** In words, by task: of those whose run is on a runner that a person has to see to. That need not be the one that the task names. */
async function gatherUnheard(deps: WhyDeps, tasks: readonly Task[]): Promise<ReadonlyMap<string, string>> {
  const words = new Map<string, string>();
  for (const name of deps.runners.names()) {
    const silence = silenceOf(deps, name);
    if (silence?.needsPerson) words.set(name, silenceWords(name, silence, deps.clock()));
  }
  const running = new Set(tasks.filter(({ state }) => state === 'running').map(({ id }) => id));
  if (words.size === 0 || running.size === 0) return new Map();
  const found = new Map<string, string>();
  for (const { taskId, runner } of await deps.store.liveRuns()) {
    const said = words.get(runner);
    if (said !== undefined && running.has(taskId)) found.set(taskId, said);
  }
  return found;
}

function isIdle({ state }: Task): boolean {
  return state !== 'running' && !isEnded(state);
}

/** What many tasks have in common. */
interface Shared {
  holds: readonly ScopedHold[];
  running: ReadonlyMap<string, number>;
  total: number;
  repositories: ReadonlyMap<string, RepositoryRef>;
  /** Those in which nothing starts, by id. */
  outOfReach: ReadonlyMap<string, NonNullable<WaitingFacts['outOfReach']>>;
  batches: ReadonlyMap<string, BatchNow>;
  runs: ReadonlyMap<string, readonly Run[]>;
}

interface BatchNow {
  batch: Batch;
  /** Empty where no task asks for them. */
  members: ReadonlyMap<string, Pick<Task, 'key' | 'state' | 'cause'>>;
  failed: string | null;
}

async function gather({ store }: WhyDeps, idle: readonly Task[]): Promise<Shared> {
  const left = idle.filter(({ cause }) => cause === 'survivors').map(({ id }) => id);
  const [holds, live, repositories, outOfReach, batches, runs] = await Promise.all([
    store.holds(),
    store.liveRuns(),
    store.queries.repositories([...new Set(idle.map(({ repositoryId }) => repositoryId))]),
    gatherReach(store, idle),
    gatherBatches(store, idle),
    store.queries.runsOfTasks(left),
  ]);
  return { holds, running: countUses(live), total: live.length, repositories, outOfReach, batches, runs };
}

async function gatherReach(store: WhyDeps['store'], idle: readonly Task[]): Promise<Shared['outOfReach']> {
  const found = new Map<string, NonNullable<WaitingFacts['outOfReach']>>();
  for (const id of new Set(idle.map(({ repositoryId }) => repositoryId))) {
    const state = await store.repositoryState(id);
    if (state === null || state.access === 'ok' || state.accessSince === null) continue;
    found.set(id, { access: state.access, since: state.accessSince });
  }
  return found;
}

async function gatherBatches(store: WhyDeps['store'], idle: readonly Task[]): Promise<Map<string, BatchNow>> {
  const asksForMembers = new Map<string, boolean>();
  for (const { batchId, needs } of idle) {
    if (batchId !== null) asksForMembers.set(batchId, needs.length > 0 || (asksForMembers.get(batchId) ?? false));
  }
  const found = new Map<string, BatchNow>();
  // One after the other: each may have thousands of members.
  for (const [id, needed] of asksForMembers) {
    const batch = await store.batch(id);
    if (batch === null) continue;
    const stops = batch.onFailure === 'stop';
    const members = needed || stops ? await store.membersOfBatch(id) : [];
    const failed = stops ? (members.find(({ state }) => state === 'failed')?.key ?? null) : null;
    found.set(id, { batch, members: new Map(members.map((member) => [member.key, member])), failed });
  }
  return found;
}

function countUses(live: readonly LiveRun[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { repositoryId, runner, batchId } of live) {
    for (const key of [`repository:${repositoryId}`, `runner:${runner}`, `batch:${batchId}`]) {
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
  }
  return counts;
}

function factsOf(
  deps: WhyDeps,
  task: Task,
  { shared, issues }: { shared: Shared; issues: ReadonlyMap<string, IssueNow> },
): WaitingFacts {
  const ofBatch = task.batchId === null ? undefined : shared.batches.get(task.batchId);
  const look = issues.get(issueId(task));
  const repository = shared.repositories.get(task.repositoryId)?.fullName ?? 'its repository';
  const run = shared.runs.get(task.id)?.at(-1);
  return {
    task,
    now: deps.clock(),
    repository,
    outOfReach: shared.outOfReach.get(task.repositoryId) ?? null,
    batch: ofBatch?.batch ?? null,
    holds: shared.holds.filter((hold) => covers(hold, task)),
    // Such a close was said not to matter for it.
    issue: task.exemptEpisodeId === null ? (look?.issue ?? null) : null,
    blockers: look?.blockers ?? null,
    survivors: run === undefined ? null : { run: run.number, pids: run.survivors },
    needs: task.needs.flatMap((key) => ofBatch?.members.get(key) ?? []),
    failed: ofBatch?.failed ?? null,
    otherRunners: deps.runners.get(task.spec.runsOn) === null ? deps.runners.names() : null,
    limits: limitsOf(deps, task, { shared, repository, batch: ofBatch?.batch ?? null }),
  };
}

/** What the task would take a place of, the narrowest first. */
function limitsOf(
  { runners, limits }: WhyDeps,
  { repositoryId, spec }: Task,
  { shared, repository, batch }: { shared: Shared; repository: string; batch: Batch | null },
): Limit[] {
  const used = (key: string) => shared.running.get(key) ?? 0;
  const ofBatch =
    batch === null ? [] : [{ name: `batch ${batch.name}`, used: used(`batch:${batch.id}`), max: placesOf(batch) }];
  const max = runners.get(spec.runsOn)?.profile.maxRunning ?? null;
  const ofRunner = max === null ? [] : [{ name: `runner ${spec.runsOn}`, used: used(`runner:${spec.runsOn}`), max }];
  return [
    ...ofBatch,
    ...ofRunner,
    { name: repository, used: used(`repository:${repositoryId}`), max: limits.maxRunningPerRepository },
    { name: 'this app', used: shared.total, max: limits.maxRunning },
  ];
}

interface IssueNow {
  issue: WaitingFacts['issue'];
  blockers: readonly SeenBlocker[];
}

async function lookAtIssues({ store }: WhyDeps, tasks: readonly Task[]): Promise<ReadonlyMap<string, IssueNow>> {
  const refs = new Map<string, IssueRef>();
  for (const task of tasks) {
    const { repositoryId, issueNumber: number } = task;
    if (number === null || isEnded(task.state) || (tasks.length > FEW && task.cause !== 'blocker')) continue;
    if (refs.size < MAX_LOOKED_AT) refs.set(issueId(task), { repositoryId, number });
  }
  const looks = [...refs].map(async ([id, ref]) => {
    const [issue, blockers] = await Promise.all([store.issue(ref), viewBlockersOf({ store }, ref)]);
    return [id, { issue, blockers }] as const;
  });
  return new Map(await Promise.all(looks));
}

function issueId({ repositoryId, issueNumber }: Task): string {
  return `${repositoryId}#${issueNumber}`;
}
