/** `standdown attend`: a person's own command, which ends when its issue does. No app, no database, no records. */
import { constants } from 'node:os';
import { makeGitHub } from '../../github/index.ts';
import { type Attended, type CommandEnd, startAttended } from '../../runners/process/attended/command.ts';
import { OWN_SECRETS, readAttendConfig } from '../config/index.ts';
import { findOpenIssue, untilGone } from './issue.ts';
import { AttendError } from './refusal.ts';
import { passSignals } from './signals.ts';
import { processes } from './words.ts';

export { AttendError } from './refusal.ts';

export interface AttendOrder {
  /** `owner/name` */
  repository: string;
  number: number;
  graceSeconds: number;
  intervalSeconds: number;
  argv: readonly [string, ...string[]];
}

type Env = Readonly<Record<string, string | undefined>>;

export interface AttendWorld {
  env: Env;
  /** What the command gets, without Standdown's own secrets. */
  inherited: Env;
  /** One line for people. */
  tell(line: string): void;
}

/** The issue's end stopped the command: as timeout(1) has it. */
const STOPPED = 124;

/** Gives the exit code. Throws `ConfigError` or `AttendError` where nothing was started. */
export async function runAttend(order: AttendOrder, world: AttendWorld): Promise<number> {
  const { token, githubApiUrl } = readAttendConfig(world.env);
  const ending = new AbortController();
  const { signal } = ending;
  const { reader } = makeGitHub({ credentials: { mode: 'token', token }, baseUrl: githubApiUrl, signal });
  try {
    const issue = await findOpenIssue(reader, order.repository, order.number);
    const watch = { intervalMs: order.intervalSeconds * 1000, tell: world.tell, signal };
    return await attend(order, world, () => untilGone(reader, issue, watch));
  } finally {
    ending.abort();
  }
}

async function attend(order: AttendOrder, world: AttendWorld, watch: () => Promise<string | null>): Promise<number> {
  const signals = passSignals();
  try {
    const command = await start(order, world.inherited);
    signals.to(command.tree);
    try {
      const cause = await Promise.race([
        command.ended.then((): Cause => ({ by: 'itself' })),
        watch().then((end): Cause => (end === null ? { by: 'itself' } : { by: 'issue', end })),
        signals.termed.then((): Cause => ({ by: 'signal' })),
      ]);
      return await end(command, cause, { order, tell: world.tell, force: signals.force });
    } finally {
      command.release();
    }
  } finally {
    signals.giveBack();
  }
}

async function start({ argv, graceSeconds }: AttendOrder, inherited: Env): Promise<Attended> {
  const env = { ...inherited };
  for (const name of OWN_SECRETS) delete env[name];
  try {
    return await startAttended({ argv, env, graceMs: graceSeconds * 1000 });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') throw new AttendError('not_found', `there is no program ${JSON.stringify(argv[0])}`);
    throw new AttendError('not_executable', `${JSON.stringify(argv[0])} can't be run: ${message}`);
  }
}

/** The first one wins. */
type Cause = { by: 'itself' } | { by: 'signal' } | { by: 'issue'; end: string };

interface EndOptions {
  order: AttendOrder;
  tell(line: string): void;
  force: AbortSignal;
}

async function end(command: Attended, cause: Cause, { order, tell, force }: EndOptions): Promise<number> {
  const alive = await command.countLiving();
  if (alive > 0) tell(wordsOf(cause, alive, order));
  const { forced, survivors } = alive > 0 ? await command.stop(force) : { forced: false, survivors: [] };
  if (forced && survivors.length === 0) tell('KILL was needed; nothing of it is alive');
  if (survivors.length > 0) tell(`still alive after KILL: ${survivors.join(', ')}`);
  // What had ended before was faster than its issue.
  if (cause.by === 'issue' && alive > 0) return STOPPED;
  const killed: CommandEnd = { exitCode: null, signal: 'SIGKILL' };
  return codeOf(await (survivors.length > 0 ? Promise.race([command.ended, killed]) : command.ended));
}

function wordsOf(cause: Cause, alive: number, { repository, number, graceSeconds }: AttendOrder): string {
  const signals = `TERM to ${processes(alive)}, KILL after ${graceSeconds} s`;
  switch (cause.by) {
    case 'itself':
      return `the command has ended and left something behind: ${signals}`;
    case 'signal':
      return `told to end: ${signals}`;
    case 'issue':
      return `${repository}#${number} was ${cause.end}: ${signals}`;
  }
}

function codeOf({ exitCode, signal }: CommandEnd): number {
  return exitCode ?? 128 + constants.signals[signal ?? 'SIGKILL'];
}
