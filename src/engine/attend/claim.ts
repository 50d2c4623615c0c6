/**
 * Claims of tasks by people who run them themselves. The issue is read first; the claim itself is decided in the pass that gives slots to
 * ready tasks, of which one runs at a time: a task goes to one of the two, and every limit holds.
 */
import type { Attendant, AttendedRun } from '../../core/attended.ts';
import { isLive, type Run } from '../../core/run.ts';
import { beginRun } from '../begin-run.ts';
import type { Deps } from '../deps.ts';
import { readBranchBefore } from '../find-evidence.ts';
import { graceSecondsOf } from '../grace.ts';
import { commitInTurn, type Turn } from '../in-turn.ts';
import { SCHEDULE_KEY } from '../keys.ts';
import { newRun } from '../new-run.ts';
import { factsOf } from '../order.ts';
import { asAttended, type Bar, barOf, barOfIssue } from './admit.ts';

export interface Claim {
  /** The same one again is given the run that it has. */
  session: string;
  attendant: Attendant;
  /** This app sees that process. */
  isVisible: boolean;
}

export type ClaimResult =
  | {
      result: 'claimed';
      run: Run;
      graceSeconds: number;
      /** What the command is told of itself. */
      env: Readonly<Record<string, string>>;
    }
  | ({ result: 'conflict' } & Bar)
  | { result: 'not_found' }
  | { result: 'unavailable'; message: string };

export interface Claims {
  /** Nothing is given where nobody listens any more, which `ended` tells. Throws `GitHubError` where the task's issue can't be read. */
  claim(taskId: string, claim: Claim, ended?: AbortSignal): Promise<ClaimResult>;
  /** What is waiting is decided now: no start may be decided beside it. */
  decide(turn?: Turn): Promise<void>;
}

interface Asked {
  taskId: string;
  claim: Claim;
  ended: AbortSignal | undefined;
  /** Read before, as it takes its time. */
  branchBefore: Run['branchBefore'];
}

interface Waiting extends Asked {
  settle(answer: ClaimResult | Promise<ClaimResult>): void;
}

const PATIENCE_MS = 15_000;
/** The pass may be another app's on the same database. */
const ASK_AGAIN_MS = 250;
/** The task moved under the decision this often: something else drives it hard. */
const MAX_ROUNDS = 4;

export function makeClaims(deps: Deps): Claims {
  const { store, clock } = deps;
  const waiting = new Set<Waiting>();

  async function untilDecided(asked: Asked): Promise<ClaimResult> {
    const ask = () => store.queue.enqueue([{ key: SCHEDULE_KEY, dueAt: clock() }]);
    const timers: NodeJS.Timeout[] = [];
    let drop = () => {};
    const decided = new Promise<ClaimResult>((settle) => {
      const one = { ...asked, settle };
      waiting.add(one);
      drop = () => void (waiting.delete(one) && settle(LATE));
      timers.push(setTimeout(drop, PATIENCE_MS));
    });
    asked.ended?.addEventListener('abort', drop);
    try {
      await ask();
      if (!store.exclusive) timers.push(setInterval(() => void ask().catch(() => {}), ASK_AGAIN_MS));
      return await decided;
    } finally {
      for (const timer of timers) clearInterval(timer);
      asked.ended?.removeEventListener('abort', drop);
    }
  }

  return {
    async claim(taskId, claim, ended) {
      const known = await claimedBy(deps, taskId, claim);
      if (known !== null) return known;
      const task = await store.task(taskId);
      if (task === null) return { result: 'not_found' };
      const bar = (await barOf(deps, task)) ?? (await barOfIssue(deps, task));
      // The same session may have been given it between these reads.
      if (bar !== null) return (await claimedBy(deps, taskId, claim)) ?? { result: 'conflict', ...bar };
      return untilDecided({ taskId, claim, ended, branchBefore: await readBranchBefore(deps, task) });
    },
    async decide(turn = null) {
      for (const one of waiting) {
        waiting.delete(one);
        const answer = take(deps, one, turn);
        one.settle(answer);
        await answer.catch(() => {});
      }
    },
  };
}

const LATE: ClaimResult = { result: 'unavailable', message: 'the app did not come to it in time: try again' };

async function take(deps: Deps, { taskId, claim, ended, branchBefore }: Asked, turn: Turn): Promise<ClaimResult> {
  const { store, clock, newId } = deps;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const known = await claimedBy(deps, taskId, claim);
    if (known !== null) return known;
    const task = await store.task(taskId);
    if (task === null) return { result: 'not_found' };
    const bar = await barOf(deps, task);
    if (bar !== null) return { result: 'conflict', ...bar };
    const batch = task.batchId === null ? null : await store.batch(task.batchId);
    const now = clock();
    const run = newRun(newId('run'), { task: asAttended(task), purpose: 'work', branchBefore }, now);
    const unheard = { claimedAt: now, heardAt: now, order: null, sent: null, end: null };
    const attended: AttendedRun = { ...claim, runId: run.id, phase: 'claimed', ...unheard };
    const writes = beginRun({ task, run, batch }, now);
    // Elsewhere it would run until its lease is over.
    if (ended?.aborted) return LATE;
    // After its run's row, which it belongs to.
    const result = await commitInTurn(store, turn, [...writes, { write: 'attended.insert', attended }]);
    if (result === 'passed_on') return LATE;
    if (result === 'kept') return answer(deps, run);
  }
  return { result: 'conflict', message: 'the task kept changing: try again' };
}

async function claimedBy(deps: Deps, taskId: string, { session }: Claim): Promise<ClaimResult | null> {
  const known = await deps.store.attendedRunOf(session);
  const run = known === null ? null : await deps.store.run(known.runId);
  if (run === null) return null;
  if (run.taskId === taskId && isLive(run)) return answer(deps, run);
  return { result: 'conflict', message: `this session has had run ${run.id} already` };
}

async function answer(deps: Deps, run: Run): Promise<ClaimResult> {
  const { store } = deps;
  const task = await store.task(run.taskId);
  if (task === null) return { result: 'not_found' };
  const repository = await store.repository(task.repositoryId);
  const batch = task.batchId === null ? null : await store.batch(task.batchId);
  const env = factsOf(task, run, { repository, batch });
  return { result: 'claimed', run, graceSeconds: graceSecondsOf(deps, task, run), env };
}
