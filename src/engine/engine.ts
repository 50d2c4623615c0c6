/** The engine as a running thing: its loops, their start and their end. What it does is in the use cases beside it. */

import { WRITE_PACE, type WritePace } from '../core/pace.ts';
import { type Claim, type ClaimResult, makeClaims } from './attend/index.ts';
import { bringForward } from './clock-set-back.ts';
import { watchClock } from './clock-watch.ts';
import { handleComments } from './commands/handle.ts';
import type { Deps } from './deps.ts';
import { type IssueProblem, makeIssueProblems } from './issue-problems.ts';
import { ORPHANS_KEY, parseKey, RUNNERS_KEY, SCHEDULE_KEY, SWEEP_KEY, taskKey } from './keys.ts';
import { startLoop } from './loop.ts';
import { makeNeedsGraphs } from './needs-graphs.ts';
import { type LeftoversSeen, makeOrphanWatch } from './orphans/index.ts';
import { makeSender, sendOwed } from './outbox/index.ts';
import type { WorkLease } from './ports.ts';
import { processDeliveries } from './process-deliveries.ts';
import { reconcileBatch } from './reconcile-batch.ts';
import { reconcileIssue } from './reconcile-issue.ts';
import { reconcileTask, seekEvidence } from './reconcile-task.ts';
import { followFile } from './repository-file.ts';
import { checkRunners } from './runner-check.ts';
import { makeSilenceMemory } from './silence-memory.ts';
import { makeSilenceNews } from './silence-news.ts';
import { makeStartPace } from './start-pace.ts';
import { startReady } from './start-ready.ts';
import { discover, makeSweeper, type Sweeper, type Swept, sweep } from './sweep/index.ts';
import { makeUpkeep } from './upkeep.ts';
import { startWorker } from './worker.ts';

export interface EngineOptions {
  /** 0: no periodic sweep. The one at start happens all the same. */
  sweepSeconds: number;
  /** How often runners are asked about all their live runs. */
  runnerCheckSeconds?: number;
  /** How fast runs may start; default 50 a second, 16 of them at once. */
  startsPerSecond?: number;
  /** How fast GitHub is written to; default: `WRITE_PACE`, which is below its limits. */
  writePace?: Partial<WritePace>;
  /** How long everything else waits for the sweep at start, which then goes on beside it; default 60,000 ms. */
  firstSweepMs?: number;
  /** Names this process in leases. */
  owner: string;
}

export interface Engine {
  /** Something is due then, or (without a time) now; without a word: anything may be. */
  wake(what?: 'delivery' | 'work' | 'owed', dueAt?: Date): void;
  /** Asks for a sweep now. */
  requestSweep(): Promise<void>;
  /** Somebody runs the task themselves. Throws `GitHubError` where its issue can't be read. */
  claim(taskId: string, claim: Claim, ended?: AbortSignal): Promise<ClaimResult>;
  /** What the sweep saw last, for `/readyz`. */
  status(): EngineStatus;
  /** Takes nothing new, finishes what is in hand; living runs go on. */
  stop(): Promise<void>;
}

export interface EngineStatus {
  /** Whether the sweep at start is over: before it nothing is started. */
  swept: boolean;
  lastSweepAt: Date | null;
  lastSweepErrors: number;
  /** What was found and can't be followed now. */
  issueProblems: readonly IssueProblem[];
  /** What runners have alive that nobody wants alive, by their names. */
  leftovers: ReadonlyMap<string, LeftoversSeen>;
}

const AT_ONCE = 16;
const ORPHANS_SECONDS = 60;
/** Longer than this a silent GitHub must not hold up stops, deadlines and deliveries: each start reads its issue anyway. */
const FIRST_SWEEP_MS = 60_000;

/** Sweeps first, then does everything side by side. */
export async function startEngine(deps: Deps, options: EngineOptions): Promise<Engine> {
  const { store, clock, log } = deps;
  const status = { swept: false, lastSweepAt: null as Date | null, lastSweepErrors: 0 };
  const later = (seconds: number) => new Date(clock().getTime() + seconds * 1_000);
  const checkSeconds = options.runnerCheckSeconds ?? 2;
  const pace = makeStartPace(options.startsPerSecond === undefined ? {} : { perSecond: options.startsPerSecond });
  const graphs = makeNeedsGraphs(store);
  const sweeper = makeSweeper(deps, options.sweepSeconds * 1_000);
  const unswept = new Set<string>();
  const issues = makeIssueProblems(deps);
  const orphans = makeOrphanWatch(deps);
  const keepSilence = makeSilenceMemory(deps);
  const claims = makeClaims(deps);
  const tellSilence = makeSilenceNews(deps);
  let checks = 0;

  function onSwept(repositoryId: string, { problem }: Swept): void {
    if (problem === null) unswept.delete(repositoryId);
    else unswept.add(repositoryId);
    countErrors();
  }

  function countErrors(): void {
    status.lastSweepErrors = unswept.size + issues.list().length;
  }

  async function runSweep(): Promise<void> {
    await findInstalled(deps, sweeper);
    const result = await sweep(deps, sweeper, onSwept);
    // Of the issues that it found each is looked at by itself, and its failure told there.
    Object.assign(status, { swept: true, lastSweepAt: clock() });
    if (sweeper === null) status.lastSweepErrors = result.errors.length;
    else countErrors();
  }

  const upkeep = makeUpkeep(deps, sweeper, (repositoryId, swept) => {
    onSwept(repositoryId, swept);
    status.lastSweepAt = clock();
  });

  async function handle(lease: WorkLease): Promise<void> {
    const { key, failures } = lease;
    const work = parseKey(key);
    switch (work?.kind) {
      case 'task':
        await reconcileTask(deps, work.id);
        return;
      case 'evidence':
        return seekEvidence(deps, work.id);
      case 'batch':
        return reconcileBatch(deps, graphs, work.id);
      case 'issue':
        return issues.watch(work.ref, failures, () => reconcileIssue(deps, work.ref, failures)).finally(countErrors);
      case 'comments':
        return handleComments(deps, work.ref, failures);
      case 'file':
        return followFile(deps, work.repositoryId);
      case 'schedule':
        await claims.decide(lease);
        return startReady(deps, pace, lease);
      case 'sweep':
        // Where repositories have turns of their own, this is a person's wish.
        if (sweeper === null && options.sweepSeconds > 0) {
          await store.queue.enqueue([{ key, dueAt: later(options.sweepSeconds) }]);
        }
        return runSweep();
      case 'runners':
        await store.queue.enqueue([{ key, dueAt: later(checkSeconds) }]);
        checks += 1;
        await checkRunners(deps, checks);
        await keepSilence();
        return tellSilence();
      case 'orphans':
        await store.queue.enqueue([{ key, dueAt: later(ORPHANS_SECONDS) }]);
        return orphans.look();
      case 'orphan':
        return orphans.pursue(work.id);
      default:
        if (work === null || !(await upkeep.handle(work))) log.warn({ key }, 'unknown key dropped');
    }
  }

  // What a killed process had in hand is in nobody's hands now.
  if (store.exclusive) await store.queue.reclaim();
  await tellUnreachable(deps);
  // State before events before starts: what was missed while down is known before anything runs.
  const firstSweep = runSweep();
  await atMost(options.firstSweepMs ?? FIRST_SWEEP_MS, firstSweep, () => log.warn({}, 'first sweep takes long'));
  firstSweep.catch((error) => log.error({ err: error }, 'first sweep failed'));
  const deliveries = startLoop({
    name: 'deliveries',
    log,
    clock,
    run: () => processDeliveries(deps).then(() => null),
  });
  const writePace = { ...WRITE_PACE, ...options.writePace };
  const sender = makeSender({ deps, owner: options.owner, pace: writePace });
  const outbox = startLoop({ name: 'outbox', log, clock, run: () => sendOwed(sender) });
  const worker = startWorker({ queue: store.queue, owner: options.owner, atOnce: AT_ONCE, waits, clock, log, handle });
  const unsubscribe = deps.runners
    .names()
    .map((name) => deps.runners.get(name)?.onHint((runId) => void hinted(deps, runId)));

  async function enqueuePeriodic(sweepAt: Date): Promise<void> {
    const first = [SCHEDULE_KEY, RUNNERS_KEY, ORPHANS_KEY].map((key) => ({ key, dueAt: clock() }));
    const isDriven = sweeper === null && options.sweepSeconds > 0;
    const periodic = isDriven ? [{ key: SWEEP_KEY, dueAt: sweepAt }] : [];
    await store.queue.enqueue([...first, ...periodic, ...upkeep.firstKeys(clock())]);
  }
  await enqueuePeriodic(later(options.sweepSeconds));
  // The look at the runners brings back the tasks of runs that are on their way.
  const clockWatch = watchClock(clock, (byMs) => {
    log.warn({ ms: byMs }, 'clock set back');
    const brought = [enqueuePeriodic(clock()), store.exclusive ? bringForward(deps, byMs) : null];
    Promise.all(brought).catch((error) => log.error({ err: error }, 'work not brought forward'));
  });

  return {
    wake(what, dueAt) {
      if (what === undefined || what === 'delivery') deliveries.wake();
      if (what === undefined || what === 'work') worker.wake(dueAt);
      if (what === undefined || what === 'owed') outbox.wake(dueAt);
    },
    async requestSweep() {
      await store.queue.enqueue([{ key: SWEEP_KEY, dueAt: clock() }]);
    },
    claim: claims.claim,
    status: () => ({ ...status, issueProblems: issues.list(), leftovers: orphans.seen() }),
    async stop() {
      clockWatch.stop();
      for (const off of unsubscribe) off?.();
      await Promise.all([deliveries.stop(), worker.stop(), outbox.stop(), firstSweep.catch(() => {})]);
    },
  };
}

async function atMost(ms: number, work: Promise<void>, tooLong: () => void): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<void>((resolve) => {
    timer = setTimeout(() => {
      tooLong();
      resolve();
    }, ms);
  });
  await Promise.race([work, deadline]).finally(() => clearTimeout(timer));
}

const WAITING = [
  'issue',
  'comments',
  'evidence',
  'file',
  'repository',
  'verify',
  'access',
  'sweep',
  'discover',
  'missed',
];

/** What mostly waits for GitHub. */
function waits(key: string): boolean {
  return WAITING.includes(parseKey(key)?.kind ?? '');
}

/** A repository that nothing is known of yet is listed from now on; what was there is found all the same where this fails. */
async function findInstalled({ log }: Deps, sweeper: Sweeper | null): Promise<void> {
  if (sweeper === null) return;
  await discover(sweeper).catch((error: unknown) => log.warn({ err: error }, 'installed repositories not listed'));
}

/** A run whose runner is not configured here is left alone, neither seen nor stopped: somebody has to know. */
async function tellUnreachable({ store, runners, log }: Deps): Promise<void> {
  for (const run of store.exclusive ? await store.liveRuns() : []) {
    if (runners.get(run.runner) !== null) continue;
    log.warn({ task: run.taskId, run: run.id, runner: run.runner }, 'run left alone: no such runner is configured');
  }
}

/** A lost hint costs latency only: the runner check finds the same. */
async function hinted({ store, clock, log }: Deps, runId: string): Promise<void> {
  try {
    const run = await store.run(runId);
    if (run !== null) await store.queue.enqueue([{ key: taskKey(run.taskId), dueAt: clock() }]);
  } catch (error) {
    log.warn({ run: runId, err: error }, 'hint lost');
  }
}
