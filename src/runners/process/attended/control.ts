/**
 * Job control of runs that people attend. Nothing is started here: an order is kept, and its session, which asks for it, carries it
 * out. Where that is gone with its guard, stopped itself, or gives no sign after KILL was ordered, the command is sent TERM and then KILL
 * from here, if it is seen from here. What became of a run is what that session told, or what is seen of its processes.
 */
import { type AttendedRun, probeAttended, type SeenAttendant } from '../../../core/attended.ts';
import { isOver } from '../../../core/plan/orphan.ts';
import type { Probe } from '../../../core/run.ts';
import type { AttendedReads, Clock, JobControl, Store } from '../../../engine/ports.ts';
import { look, type Place, signalCommand } from './sight.ts';

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

interface Heard {
  run: AttendedRun;
  askedAt: Date;
}

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

  /** Silent up to when this was asked for: where this process stands still after that, nobody can be heard. */
  async function recordsOf(runIds: readonly string[]): Promise<Map<string, Heard>> {
    const askedAt = now();
    const records = await store.attendedRuns(runIds);
    return new Map(records.map((run) => [run.runId, { run, askedAt }]));
  }

  async function recordOf(runId: string): Promise<Heard | null> {
    return (await recordsOf([runId])).get(runId) ?? null;
  }

  function see({ run, askedAt }: Heard): SeenAttendant {
    return look(run, here, { now: askedAt, deafUntil });
  }

  function probeOf(heard: Heard): Probe {
    return probeAttended(heard.run, see(heard), { now: heard.askedAt, deafUntil });
  }

  return {
    profile: PROFILE,
    start: async () => ({ result: 'refused', reason: 'an attended run is started by whoever attends it' }),
    async inspect(runIds) {
      const known = await recordsOf(runIds);
      noteLook();
      return new Map(
        runIds.map((id): [string, Probe] => {
          const heard = known.get(id);
          return [id, heard === undefined ? { state: 'no_record' } : probeOf(heard)];
        }),
      );
    },
    async cancel(runId, mode) {
      const heard = await recordOf(runId);
      if (heard === null) return 'no_record';
      if (heard.run.end !== null) return 'already_ended';
      if (mode === 'void') return (await voidClaim(heard.run)) ? 'accepted' : 'already_ended';
      await order(heard, mode);
      return 'accepted';
    },
    async list() {
      const ids = await store.attendedRunIds();
      noteLook();
      return ids;
    },
    async log(runId) {
      const heard = await recordOf(runId);
      if (heard === null) return '';
      return `[standdown: its output is not kept here: it went to whoever attends it on ${heard.run.attendant.host}]\n`;
    },
    async forget(runId) {
      const heard = await recordOf(runId);
      if (heard === null) return false;
      const probe = probeOf(heard);
      if (!isOver(probe) && probe.state !== 'no_record') return false;
      return store.commit([{ write: 'attended.delete', runId }]);
    },
    onHint(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    close: async () => {},
  };

  /** False: its session has been heard, and may have begun. Decided in the database, where it is heard. */
  function voidClaim({ runId, session }: AttendedRun): Promise<boolean> {
    return store.commit([{ write: 'attended.update', runId, session, from: ['claimed'], set: { phase: 'voided' } }]);
  }

  /** What was sent to the command from here; null: nothing, since somebody else does it, or has to, or nothing is left. */
  function send(heard: Heard): AttendedRun['sent'] {
    const { run } = heard;
    const { alive, unheard } = see(heard);
    if (alive === null || (alive && !unheard)) return null;
    // Nobody knows whether its attendant has sent TERM.
    const signal = run.order === 'term' || run.sent === null ? 'term' : 'kill';
    if (signal === 'term' && run.sent !== null) return null;
    return signalCommand(run, signal === 'term' ? 'SIGTERM' : 'SIGKILL', alive) ? signal : null;
  }

  /** From TERM to KILL, and never back. */
  async function order({ run, askedAt }: Heard, mode: 'term' | 'kill'): Promise<void> {
    const { runId, session } = run;
    const isNew = run.order !== mode && run.order !== 'kill';
    const order = isNew ? mode : run.order;
    const sent = send({ run: { ...run, order }, askedAt });
    if (!isNew && sent === null) return;
    const set = { order, ...(sent === null ? {} : { sent }) };
    await store.commit([{ write: 'attended.update', runId, session, set }]);
    if (isNew) for (const listener of listeners) listener(runId);
  }
}
