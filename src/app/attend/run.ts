/** One command in the foreground, until it ends by itself, is told to, or somebody sends TERM. */
import { constants } from 'node:os';
import {
  type Attended,
  type AttendedOrder,
  type CommandEnd,
  startAttended,
} from '../../runners/process/attended/command.ts';
import { OWN_SECRETS } from '../config/index.ts';
import { AttendError } from './refusal.ts';
import { passSignals } from './signals.ts';
import { processes } from './words.ts';

export interface Watched {
  command: AttendedOrder;
  /** Resolves with why it is to end; null: there is nothing to wait for any more. */
  until(): Promise<string | null>;
  /** Ends the grace. */
  force?: AbortSignal;
  tell(line: string): void;
}

export type { CommandEnd };

export interface Outcome {
  ended: CommandEnd;
  /** When its first process ended, by `performance.now()`. */
  endedAt: number;
  survivors: readonly number[];
  /** KILL was needed. */
  killed: boolean;
  /** It was alive when it was told to end. */
  isStopped: boolean;
}

/** It was told to end: as timeout(1) has it. */
export const STOPPED = 124;

export function withoutSecrets(inherited: Readonly<Record<string, string | undefined>>) {
  const env = { ...inherited };
  for (const name of OWN_SECRETS) delete env[name];
  return env;
}

/** Throws `AttendError` where nothing was started. */
export async function runWatched(watched: Watched): Promise<Outcome> {
  const signals = passSignals();
  try {
    const command = await start(watched.command);
    signals.to(command.tree);
    try {
      const endedAt = command.ended.then(() => performance.now());
      const cause = await Promise.race([
        command.ended.then((): Cause => ({ by: 'itself' })),
        watched.until().then((why): Cause => (why === null ? { by: 'itself' } : { by: 'order', why })),
        signals.termed.then((): Cause => ({ by: 'signal' })),
      ]);
      const force = AbortSignal.any([signals.force, ...(watched.force === undefined ? [] : [watched.force])]);
      const outcome = await end(command, cause, { watched, force });
      return { ...outcome, endedAt: await Promise.race([endedAt, performance.now()]) };
    } finally {
      command.release();
    }
  } finally {
    signals.giveBack();
  }
}

async function start(order: AttendedOrder): Promise<Attended> {
  try {
    return await startAttended(order);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const program = JSON.stringify(order.argv[0]);
    if (code === 'ENOENT') throw new AttendError('not_found', `there is no program ${program}`);
    throw new AttendError('not_executable', `${program} can't be run: ${message}`);
  }
}

/** The first one wins. */
type Cause = { by: 'itself' } | { by: 'signal' } | { by: 'order'; why: string };

const KILLED: CommandEnd = { exitCode: null, signal: 'SIGKILL' };

async function end(
  command: Attended,
  cause: Cause,
  { watched, force }: { watched: Watched; force: AbortSignal },
): Promise<Omit<Outcome, 'endedAt'>> {
  const { tell } = watched;
  const alive = await command.countLiving();
  if (alive > 0) tell(wordsOf(cause, alive, force.aborted ? 0 : watched.command.graceMs));
  const { forced, survivors } = alive > 0 ? await command.stop(force) : { forced: false, survivors: [] };
  if (forced && survivors.length === 0) tell('KILL was needed; nothing of it is alive');
  if (survivors.length > 0) tell(`still alive after KILL: ${survivors.join(', ')}`);
  const ended = await (survivors.length > 0 ? Promise.race([command.ended, KILLED]) : command.ended);
  // What had ended before was faster than the order.
  return { ended, survivors, killed: forced, isStopped: cause.by === 'order' && alive > 0 };
}

function wordsOf(cause: Cause, alive: number, graceMs: number): string {
  const signals = `TERM to ${processes(alive)}, KILL after ${graceMs / 1_000} s`;
  switch (cause.by) {
    case 'itself':
      return `the command has ended and left something behind: ${signals}`;
    case 'signal':
      return `told to end: ${signals}`;
    case 'order':
      return `${cause.why}: ${signals}`;
  }
}

export function exitCodeOf({ ended: { exitCode, signal }, isStopped }: Outcome): number {
  return isStopped ? STOPPED : (exitCode ?? 128 + constants.signals[signal ?? 'SIGKILL']);
}
