/**
 * Job control of runs that people attend. Nothing is started here: an order is kept, and its session, which asks for it, carries it
 * out. Where that is gone, or gives no sign after KILL was ordered, KILL is sent from here, if its command is seen from here. What
 * became of a run is what that session told, or what is seen of its processes.
 */
import { type AttendedRun, isUnheard, probeAttended, type SeenAttendant } from '../../../core/attended.ts';
import { isOver } from '../../../core/plan/orphan.ts';
import type { Probe } from '../../../core/run.ts';
import type { AttendedReads, Clock, JobControl, Store } from '../../../engine/ports.ts';
import { killCommand, killRemnants, look, type Place } from './sight.ts';

export interface AttendedRunnerOptions {
  store: AttendedReads & Pick<Store, 'commit'>;
  /** Where this process is; null: nothing can be seen from here. */
  here: Place | null;
  now: Clock;
}

const PROFILE = {
  ...{ kind: 'attended', containment: 'scan', graceSeconds: 10, maxRunning: null },
  ...{ passEnv: [], notes: [] },
} as const satisfies JobControl['profile'];

/** The engine looks more often. After a longer gap this process, its database or its clock was away, and so was what sessions said. */
const GAP_MS = 90_000;

export function openAttendedRunner({ store, here, now }: AttendedRunnerOptions): JobControl {
  const listeners = new Set<(runId: string) => void>();
  // Nobody could be heard before.
  let deafUntil = now();
  let lookedAt = deafUntil;

  /** The database has just answered. */
  function noteLook(): void {
    const at = now();
    if (Math.abs(at.getTime() - lookedAt.getTime()) > GAP_MS) deafUntil = at;
    lookedAt = at;
  }

  async function recordOf(runId: string): Promise<AttendedRun | null> {
    return (await store.attendedRuns([runId]))[0] ?? null;
  }

  function see(run: AttendedRun): SeenAttendant {
    return look(run, here, isUnheard(run, { now: now(), deafUntil }));
  }

  function probeOf(run: AttendedRun): Probe {
    return probeAttended(run, see(run), { now: now(), deafUntil });
  }

  return {
    profile: PROFILE,
    start: async () => ({ result: 'refused', reason: 'an attended run is started by whoever attends it' }),
    async inspect(runIds) {
      const known = new Map((await store.attendedRuns(runIds)).map((run) => [run.runId, run]));
      noteLook();
      return new Map(
        runIds.map((id): [string, Probe] => {
          const run = known.get(id);
          return [id, run === undefined ? { state: 'no_record' } : probeOf(run)];
        }),
      );
    },
    async cancel(runId, mode) {
      const run = await recordOf(runId);
      if (run === null) return 'no_record';
      if (run.end !== null || mode === 'void') return 'already_ended';
      await order(run, mode);
      return 'accepted';
    },
    async list() {
      const ids = await store.attendedRunIds();
      noteLook();
      return ids;
    },
    async log(runId) {
      const run = await recordOf(runId);
      if (run === null) return '';
      return `[standdown: its output is not kept here: it went to whoever attends it on ${run.attendant.host}]\n`;
    },
    async forget(runId) {
      const run = await recordOf(runId);
      if (run === null) return false;
      const probe = probeOf(run);
      if (!isOver(probe) && probe.state !== 'no_record') return false;
      return store.commit([{ write: 'attended.delete', runId }]);
    },
    onHint(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    close: async () => {},
  };

  function kill(run: AttendedRun): void {
    const { alive, left } = see(run);
    if (alive === false) killRemnants(run);
    else if (alive && left.length > 0) killCommand(run);
  }

  /** From TERM to KILL, and never back. */
  async function order(run: AttendedRun, mode: 'term' | 'kill'): Promise<void> {
    const { runId, session } = run;
    if (mode === 'kill') kill(run);
    if (run.order === mode || run.order === 'kill') return;
    await store.commit([{ write: 'attended.update', runId, session, set: { order: mode } }]);
    for (const listener of listeners) listener(runId);
  }
}
