/**
 * Job control of another machine, by its agent. Keeps nothing about runs: the agent's records are the truth, and no answer is
 * no answer.
 */
import type { z } from 'zod';
import {
  type AgentFacts,
  type AgentStatus,
  acknowledged,
  agentStatus,
  assigned,
  cancelled,
  changes,
  knownRuns,
  logTail,
  probeOf,
  removedWorkspaces,
  workspaces,
} from '../../core/agent.ts';
import { isRunId, type Probe } from '../../core/run.ts';
import type { Clock, Logger } from '../../engine/ports/environment.ts';
import type { JobControl, RunnerProfile, StartOrder, StartResult } from '../../engine/ports/runner.ts';
import { makeHints } from './hints.ts';
import type { Kind } from './places.ts';
import { Refused } from './refused.ts';
import { type AgentAddress, type Asked, LONG_BYTES, makeRequests, SHORT_BYTES } from './requests.ts';
import { type Silence, watchSilence } from './silence.ts';

const ANSWER_MS = 10_000;
const NEWS_MS = 35_000;
/** With what a run may have left alive; one that left far more is told of all the same, where no other is asked for. */
const BYTES_OF_RUN = 4_096;
/** As JSON writes a byte at worst. */
const BYTES_OF_BYTE = 6;
/** A difference of clocks that is not told from the time that an answer takes. */
const SAME_CLOCK_MS = 5_000;

export interface AgentRunnerOptions extends AgentAddress {
  name: string;
  /** What templates may ask for; the agent has its own list, and the values. */
  passEnv: readonly string[];
  maxRunning: number | null;
  graceSeconds: number;
  log: Logger;
  now: Clock;
  /** How long the agent may take for an answer, in ms; default 10,000, and twice as much more for a start. */
  answerMs?: number | undefined;
  /** Since when an app before this one had no answer of it; default: it had one. */
  silentSince?: Date | null;
}

/** Asks nothing yet: an agent that is away keeps no app from starting. */
export function openAgentRunner(options: AgentRunnerOptions): JobControl {
  const { name, log, now, passEnv, maxRunning, graceSeconds, answerMs = ANSWER_MS, silentSince = null } = options;
  const requests = makeRequests(options);
  const silence = watchSilence({ name, log, now, silentSince });
  let known: { facts: AgentFacts; offsetMs: number } | null = null;

  function send<S extends z.ZodType>(
    kind: Kind,
    asked: Omit<Asked<S>, 'withinMs' | 'signal'>,
    moreMs = 0,
  ): Promise<z.output<S>> {
    const withinMs = answerMs + moreMs;
    return silence.call(kind, (signal) => requests.send<S>({ ...asked, withinMs, signal }));
  }

  /** Of these runs, with times by our clock. */
  async function status(runIds: readonly string[]): Promise<Map<string, Probe>> {
    const askedAt = now().getTime();
    const answer = await send('look', {
      method: 'POST',
      path: '/status',
      json: { run_ids: runIds },
      answer: agentStatus,
      mostBytes: SHORT_BYTES + runIds.length * BYTES_OF_RUN,
    });
    const offsetMs = offsetOf(answer.agent.now, askedAt, now().getTime());
    known = { facts: answer.agent, offsetMs };
    return probesIn(answer, (time) => ourTime(time, offsetMs, now()));
  }

  const hints = makeHints((after, signal) => {
    const query = after === null ? '' : `?after=${encodeURIComponent(after)}`;
    const asked = { method: 'GET', path: `/changes${query}`, withinMs: NEWS_MS, answer: changes, signal } as const;
    return silence.listen(() => requests.send(asked), signal);
  });

  return {
    get profile() {
      return profileOf({ passEnv, maxRunning, graceSeconds }, known, silence);
    },
    async start(order) {
      if (!isRunId(order.runId)) return refused(`${JSON.stringify(order.runId)} can't be the id of a run`);
      try {
        const json = assignmentOf(order);
        return await send('start', { method: 'POST', path: '/runs', json, answer: assigned }, 2 * answerMs);
      } catch (error) {
        if (isTooLarge(error)) return refused('the command and its environment are too long for its agent');
        throw error;
      }
    },
    async inspect(runIds) {
      const possible = runIds.filter(isRunId);
      const found = possible.length === 0 ? new Map<string, Probe>() : await status(possible);
      return new Map(runIds.map((runId) => [runId, found.get(runId) ?? { state: 'no_record' }]));
    },
    async cancel(runId, mode) {
      if (!isRunId(runId)) return 'no_record';
      const path = `/runs/${runId}/cancel`;
      return (await send('cancel', { method: 'POST', path, json: { mode }, answer: cancelled })).result;
    },
    async list() {
      const asked = { method: 'GET', path: '/runs', answer: knownRuns, mostBytes: LONG_BYTES } as const;
      return (await send('look', asked)).run_ids;
    },
    async log(runId, bytes) {
      if (!isRunId(runId)) return '';
      const path = `/runs/${runId}/log?tail=${bytes}`;
      const mostBytes = SHORT_BYTES + bytes * BYTES_OF_BYTE;
      return (await send('other', { method: 'GET', path, answer: logTail, mostBytes })).text;
    },
    async forget(runId) {
      if (!isRunId(runId)) return false;
      const json = { run_ids: [runId] };
      const answer = await send('other', { method: 'POST', path: '/ack', json, answer: acknowledged });
      return answer.acknowledged.includes(runId);
    },
    async workspaces() {
      const asked = { method: 'GET', path: '/workspaces', answer: workspaces, mostBytes: LONG_BYTES } as const;
      try {
        return (await send('other', asked)).task_ids;
      } catch (error) {
        // An older agent does not know the question, and gives no directory away.
        if (error instanceof Refused && error.status === 404) return [];
        throw error;
      }
    },
    async removeWorkspace(taskId) {
      if (!isRunId(taskId)) return false;
      const json = { task_ids: [taskId] };
      const answer = await send('other', {
        method: 'POST',
        path: '/workspaces/remove',
        json,
        answer: removedWorkspaces,
      });
      return answer.removed.includes(taskId);
    },
    onHint: hints.subscribe,
    async close() {
      hints.close();
      requests.close();
    },
  };
}

/** The agent won't take the body because of its size. */
function isTooLarge(error: unknown): boolean {
  return error instanceof Refused && error.status === 413;
}

function refused(reason: string): StartResult {
  return { result: 'refused', reason };
}

function probesIn({ active, completed }: AgentStatus, ours: (time: Date) => Date): Map<string, Probe> {
  return new Map([...active, ...completed].map((entry) => [entry.run_id, probeOf(entry, ours)]));
}

/** What to add to one of its times; 0 where the answer's own time explains the difference. */
function offsetOf(theirs: Date, askedAt: number, answeredAt: number): number {
  const offset = (askedAt + answeredAt) / 2 - theirs.getTime();
  return Math.abs(offset) <= SAME_CLOCK_MS + Math.abs(answeredAt - askedAt) / 2 ? 0 : Math.round(offset);
}

/** Nothing that it tells of has yet to happen, nor happened before there were clocks. */
function ourTime(theirs: Date, offsetMs: number, now: Date): Date {
  return new Date(Math.max(0, Math.min(theirs.getTime() + offsetMs, now.getTime())));
}

/** Before it is known, it promises the least. */
function profileOf(
  own: Pick<RunnerProfile, 'passEnv' | 'maxRunning' | 'graceSeconds'>,
  known: { facts: AgentFacts; offsetMs: number } | null,
  silence: Pick<Silence, 'current' | 'heard'>,
): RunnerProfile {
  const { facts, offsetMs = 0 } = known ?? {};
  const ahead = `its clock is ${Math.round(Math.abs(offsetMs) / 1000)} s ${offsetMs < 0 ? 'ahead of' : 'behind'} ours`;
  const clock = offsetMs === 0 ? [] : [`${ahead}: its times are told by ours`];
  return {
    kind: 'agent',
    containment: facts?.containment ?? 'scan',
    ...own,
    notes: [...(facts?.notes ?? []), ...clock],
    silent: silence.current(),
    heard: silence.heard(),
  };
}

function assignmentOf({ runId, taskId, argv, env, envFrom, workingDirectory }: StartOrder): object {
  return { run_id: runId, task_id: taskId, argv, env, env_from: envFrom, working_directory: workingDirectory };
}
