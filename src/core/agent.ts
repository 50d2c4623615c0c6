/**
 * What an app and an agent say to each other: JSON over HTTP, judged by these schemas on both sides, names in snake_case. Whatever
 * lacks a part is no answer: only what is whole may say that a run is unknown.
 */
import { z } from 'zod';
import { ENVIRONMENT_REASONS, type EnvironmentReason } from './failure.ts';
import { OWN_REASONS } from './own-word.ts';
import { isRunId, type Probe } from './run.ts';

/** The reason of runs that an agent which was started again could not take up. */
export const AGENT_RESTARTED = 'agent restarted; process lost';

/** What one request may ask about. */
const MOST_RUNS = 50_000;
/** Who has not asked for so long has missed some. */
export const MOST_CHANGES = 1_000;
const MOST_WORDS = 2_000;
const MOST_NOTES = 100;

const runId = z.string().refine(isRunId, { error: 'must be the id of a run' });
const time = z.iso.datetime().transform((text) => new Date(text));
/** What is said for people is kept and shown, whoever says it: as much as they read, and nothing that a database does not take. */
const words = z.string().transform((text) => text.slice(0, MOST_WORDS).replaceAll('\0', '\uFFFD'));
const pids = z.array(z.int().positive()).readonly();
const containment = z.enum(['cgroup', 'pidns', 'scan']);

/** What is wrong with the rest of it is the runner's to say, in words for people. */
export const assignment = z.strictObject({
  run_id: runId,
  task_id: z.string(),
  argv: z.array(z.string()),
  env: z.record(z.string(), z.string()),
  env_from: z.array(z.string()),
  working_directory: z.string().nullable(),
});

export const assigned = z.discriminatedUnion('result', [
  z.strictObject({ result: z.literal('started') }),
  z.strictObject({ result: z.literal('voided') }),
  z.strictObject({ result: z.literal('refused'), reason: words }),
]);

export const cancelOrder = z.strictObject({ mode: z.enum(['void', 'term', 'kill']) });
export const cancelled = z.object({ result: z.enum(['accepted', 'already_ended', 'no_record']) });
export const runIds = z.strictObject({ run_ids: z.array(runId).max(MOST_RUNS) });
export const knownRuns = z.object({ run_ids: z.array(runId) });
export const acknowledged = z.object({ acknowledged: z.array(runId) });
const taskId = z.string().refine(isRunId, { error: 'must be the id of a task' });
export const taskIds = z.strictObject({ task_ids: z.array(taskId).max(MOST_RUNS) });
/** Tasks that have a directory of their own. */
export const workspaces = z.object({ task_ids: z.array(taskId) });
/** Those whose directories are being removed now. */
export const removedWorkspaces = z.object({ removed: z.array(taskId) });
export const logTail = z.object({ text: z.string() });

/** Runs that may have changed, and from where to ask on. */
export const changes = z.object({ next: z.string().max(200), run_ids: z.array(runId).max(MOST_CHANGES) });

/** Of the run's program. `until` is told by whoever limits it, not by the agent's clock. */
const said = z.object({
  result: z.enum(['done', 'failed']).nullable(),
  reason: z.enum(OWN_REASONS).nullable(),
  until: time.nullable(),
  problem: words.nullable(),
});
const environmentReason = z.enum(Object.keys(ENVIRONMENT_REASONS) as EnvironmentReason[]);

const unclaimed = z.object({ run_id: runId, state: z.literal('unclaimed') });
const voided = z.object({ run_id: runId, state: z.literal('voided') });
const unreadable = z.object({ run_id: runId, state: z.literal('unreadable'), problem: words });
const running = z.object({
  run_id: runId,
  state: z.literal('running'),
  started_at: time,
  last_output_at: time.nullable(),
  containment,
});
const exited = z.object({
  run_id: runId,
  state: z.literal('exited'),
  exit_code: z.int().min(0).max(255).nullable(),
  signal: z
    .string()
    .regex(/^[A-Z][A-Z0-9+-]{0,15}$/, { error: 'must be the name of a signal, without SIG' })
    .nullable(),
  started_at: time.nullable(),
  ended_at: time,
  survivors: pids,
  containment,
  reason: environmentReason.exactOptional(),
  said: said.exactOptional(),
});
const vanished = z.object({
  run_id: runId,
  state: z.literal('vanished'),
  started_at: time.nullable(),
  survivors: pids,
  reason: words.exactOptional(),
  said: said.exactOptional(),
});

const agent = z.object({
  /** Of this process: another one after each start. */
  instance: words,
  version: words,
  /** By its own clock. */
  now: time,
  containment,
  /** The account of its runs; null: its own. */
  user: words.nullable(),
  notes: z.array(words).transform((notes) => notes.slice(0, MOST_NOTES)),
});

export const agentStatus = z
  .object({
    agent,
    /** Of which something may live, or may yet begin. */
    active: z.array(z.discriminatedUnion('state', [unclaimed, running, unreadable, exited, vanished])),
    /** Over, and not acknowledged yet. */
    completed: z.array(z.discriminatedUnion('state', [exited, vanished, voided])),
    /** How many more are over, the oldest; only where no runs were named. */
    completed_left_out: z.int().nonnegative(),
  })
  .refine(tellsOnce, { error: 'tells of a run twice' });

/** What is said twice of a run, even in both lists, contradicts itself: that is no answer. */
function tellsOnce({ active, completed }: Record<'active' | 'completed', readonly { run_id: string }[]>): boolean {
  const ids = [...active, ...completed].map((entry) => entry.run_id);
  return new Set(ids).size === ids.length;
}

export type AgentStatus = z.output<typeof agentStatus>;
export type AgentFacts = AgentStatus['agent'];
export type AgentEntry = AgentStatus['active'][number] | AgentStatus['completed'][number];

/** `ours` tells what one of the agent's times is by our clock. */
export function probeOf(entry: AgentEntry, ours: (time: Date) => Date): Probe {
  const maybe = (at: Date | null): Date | null => at && ours(at);
  switch (entry.state) {
    case 'unclaimed':
    case 'voided':
      return { state: entry.state };
    case 'unreadable':
      return { state: 'unreadable', problem: entry.problem };
    case 'running':
      return {
        state: 'running',
        startedAt: ours(entry.started_at),
        lastOutputAt: maybe(entry.last_output_at),
        containment: entry.containment,
      };
    case 'exited':
      return {
        state: 'exited',
        exitCode: entry.exit_code,
        signal: entry.signal,
        startedAt: maybe(entry.started_at),
        endedAt: ours(entry.ended_at),
        survivors: entry.survivors,
        containment: entry.containment,
        ...toldOf(entry),
      };
    case 'vanished':
      return {
        state: 'vanished',
        startedAt: maybe(entry.started_at),
        survivors: entry.survivors,
        ...toldOf(entry),
      };
  }
}

/** The reverse. null: there is nothing to say of it. */
export function entryOf(runId: string, probe: Probe): AgentEntry | null {
  const run = { run_id: runId };
  switch (probe.state) {
    case 'no_record':
    // Only what people attend is claimed.
    case 'claimed':
      return null;
    case 'unclaimed':
    case 'voided':
      return { ...run, state: probe.state };
    case 'unreadable':
      return { ...run, state: 'unreadable', problem: probe.problem };
    case 'running': {
      const { startedAt, lastOutputAt, containment: level } = probe;
      return { ...run, state: 'running', started_at: startedAt, last_output_at: lastOutputAt, containment: level };
    }
    case 'exited': {
      const { exitCode, signal, startedAt, endedAt, containment: level } = probe;
      const times = { started_at: startedAt, ended_at: endedAt };
      const { survivors } = probe;
      const ended = { exit_code: exitCode, signal, ...times, survivors, containment: level };
      return { ...run, state: 'exited', ...ended, ...toldOf(probe) };
    }
    case 'vanished': {
      const { startedAt, survivors } = probe;
      return { ...run, state: 'vanished', started_at: startedAt, survivors, ...toldOf(probe) };
    }
  }
}

/** The parts that are left out where there is nothing to tell. They are called the same on both sides. */
function toldOf<R, S>({ reason, said }: { reason?: R; said?: S }): { reason?: R; said?: S } {
  return { ...(reason === undefined ? {} : { reason }), ...(said === undefined ? {} : { said }) };
}

export type Assignment = z.output<typeof assignment>;
export type Assigned = z.output<typeof assigned>;
export type CancelMode = z.output<typeof cancelOrder>['mode'];
export type CancelResult = z.output<typeof cancelled>['result'];
export type Changes = z.output<typeof changes>;
