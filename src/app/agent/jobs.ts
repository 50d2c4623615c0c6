/**
 * What an agent does for apps: the process runner's own answers, whose records are the truth about runs, and what lies between
 * two machines: orders that come late, runs that were lost with an earlier agent, changes to be heard of from afar.
 */
import { setImmediate as breath } from 'node:timers/promises';
import {
  AGENT_RESTARTED,
  type AgentEntry,
  type AgentFacts,
  type AgentStatus,
  type Assignment,
  entryOf,
} from '../../core/agent.ts';
import type { Probe } from '../../core/run.ts';
import { type Clock, type JobControl, type Logger, RunnerUnreachable, type StartOrder } from '../../engine/ports.ts';
import type { AgentJobs } from '../../web/agent.ts';
import type { ChangeFeed } from './changes.ts';
import type { AgentState } from './state.ts';

/** So many are looked at before others get their turn. */
const AT_ONCE = 200;
/** Of runs that are over; who names runs is told of each. */
const MOST_SHOWN = 1_000;

export interface JobsOptions {
  control: JobControl;
  state: AgentState;
  feed: ChangeFeed;
  facts: Omit<AgentFacts, 'now' | 'containment'>;
  now: Clock;
}

export function makeAgentJobs({ control, state, feed, facts, now }: JobsOptions): AgentJobs {
  async function status(ids: readonly string[] | null): Promise<AgentStatus> {
    const probes = await inspectAll(control, ids ?? (await control.list()));
    const entries = [...probes].flatMap(([runId, probe]) => entryOf(runId, withReason(runId, probe)) ?? []);
    const completed = entries.filter(isOver).toSorted((a, b) => endOf(b) - endOf(a));
    const shown = ids === null ? completed.slice(0, MOST_SHOWN) : completed;
    return {
      agent: { ...facts, now: now(), containment: control.profile.containment },
      active: entries.filter(isActive),
      completed: shown,
      completed_left_out: completed.length - shown.length,
    };
  }

  function withReason(runId: string, probe: Probe): Probe {
    return probe.state === 'vanished' && state.isLost(runId) ? { ...probe, reason: AGENT_RESTARTED } : probe;
  }

  /** A run that is not known may still be under way to here: it must not begin when it comes. */
  async function cancel(...[runId, mode]: Parameters<AgentJobs['cancel']>): ReturnType<AgentJobs['cancel']> {
    const result = await control.cancel(runId, mode);
    if (result !== 'no_record' || mode === 'void') return result;
    onDisk(() => state.noteCancelled(runId));
    // Its supervisor may be about to claim it, started by an order at the same time or by an earlier agent that was killed.
    const isPrepared = (await control.inspect([runId])).get(runId)?.state !== 'no_record';
    if (!isPrepared || (await control.cancel(runId, 'void')) === 'accepted') return result;
    return control.cancel(runId, mode);
  }

  return {
    status,
    known: () => control.list(),
    // The runner prepares the run's place in the same breath as the look at the tombstone: a cancel sees one of the two.
    assign: async (order) => (state.isCancelled(order.run_id) ? { result: 'voided' } : control.start(orderOf(order))),
    cancel,
    log: (runId, bytes) => control.log(runId, bytes),
    async acknowledge(ids) {
      const gone: string[] = [];
      for (const runId of ids) if (await control.forget?.(runId)) gone.push(runId);
      onDisk(() => state.forgetLost(gone));
      return gone;
    },
    workspaces: async () => (await control.workspaces?.()) ?? [],
    async removeWorkspaces(ids) {
      const removed: string[] = [];
      for (const taskId of ids) if (await control.removeWorkspace?.(taskId)) removed.push(taskId);
      return removed;
    },
    changes: feed.after,
  };
}

/** Before anybody is answered: what an earlier agent left running and what lives no more, is noted as lost with it. */
export async function noteLostRuns(control: JobControl, state: AgentState, log: Logger): Promise<void> {
  const probes = await inspectAll(control, await control.list());
  const taken = [...probes].filter(([, { state: found }]) => found === 'running').map(([runId]) => runId);
  const lost = [...probes]
    .filter(([runId, probe]) => probe.state === 'vanished' && probe.survivors.length === 0 && !state.isLost(runId))
    .map(([runId]) => runId);
  if (taken.length > 0) log.info({ runs: taken.length }, 'living runs taken up again');
  if (lost.length > 0) log.warn({ runs: lost.length }, AGENT_RESTARTED);
  try {
    state.noteLost(lost);
  } catch (error) {
    log.error({ err: error }, "the agent's state can not be written");
  }
}

async function inspectAll(control: JobControl, ids: readonly string[]): Promise<Map<string, Probe>> {
  const found = new Map<string, Probe>();
  for (let from = 0; from < ids.length; from += AT_ONCE) {
    if (from > 0) await breath();
    for (const [runId, probe] of await control.inspect(ids.slice(from, from + AT_ONCE))) found.set(runId, probe);
  }
  return found;
}

type Over = AgentStatus['completed'][number];
type Active = AgentStatus['active'][number];

function isOver(entry: AgentEntry): entry is Over {
  switch (entry.state) {
    case 'exited':
    case 'vanished':
      return entry.survivors.length === 0;
    default:
      return entry.state === 'voided';
  }
}

function isActive(entry: AgentEntry): entry is Active {
  return !isOver(entry);
}

function endOf(entry: Over): number {
  return entry.state === 'exited' ? entry.ended_at.getTime() : 0;
}

function orderOf(order: Assignment): StartOrder {
  const { run_id: runId, task_id: taskId, argv, env, env_from: envFrom, working_directory: workingDirectory } = order;
  return { runId, taskId, argv, env, envFrom, workingDirectory };
}

/** What can't be kept is not done: the app hears of no answer, and asks again. */
function onDisk(write: () => void): void {
  try {
    write();
  } catch (error) {
    throw new RunnerUnreachable(`the agent's state can't be written: ${(error as Error).message}`, { cause: error });
  }
}
