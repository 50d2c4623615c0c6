/** What is found out once, when the runner is opened: accounts, tools, levels of containment, places. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { StartRefused } from '../../engine/ports.ts';
import { becomeAccount, findAccount } from './account.ts';
import type { Containment } from './containment/level.ts';
import { chooseLevel, probeLevels } from './containment/probe.ts';
import { type Environment, type EnvironmentSource, supervisorEnvironment } from './environment.ts';
import { type LogShape, shapeLog } from './log.ts';
import { bootId } from './proc.ts';
import { hasProgram } from './program.ts';
import { NEEDED_TOOLS } from './supervisor-script.ts';
import { makePassage, type Places } from './working-directory.ts';

const run = promisify(execFile);

const NO_RESET = 'programs start with INT and QUIT ignored: env --default-signal (coreutils 8.31) is not available';

export interface Machine {
  boot: string;
  places: Places;
  environment: EnvironmentSource;
  level: Containment;
  /** Where runs get their control groups, and how they get their pid namespaces; null: not available. */
  groups: string | null;
  namespace: string | null;
  /** Words before the program that set its account and signals. */
  become: readonly string[];
  /** Whether the shell tells a death by signal from an exit with a number above 128. */
  shellTellsSignals: boolean;
  log: LogShape;
  notes: readonly string[];
}

export interface MachineOptions {
  name: string;
  dataDir: string;
  root?: string | undefined;
  user?: string | undefined;
  passEnv: readonly string[];
  logLimitBytes?: number | undefined;
  level?: Containment | undefined;
  processEnv: Environment;
}

/** Throws one error that says what the machine lacks. */
export async function exploreMachine(options: MachineOptions): Promise<Machine> {
  const { name, dataDir, processEnv, passEnv } = options;
  if (!existsSync('/proc/self/stat'))
    throw new StartRefused(`runner ${name}: kind process needs /proc, as Linux has it`);
  const env = supervisorEnvironment(processEnv);
  const missing = NEEDED_TOOLS.filter((tool) => !hasProgram(tool, env.PATH ?? ''));
  if (missing.length > 0) throw new StartRefused(`runner ${name}: these programs are missing: ${missing.join(', ')}`);
  const account = await findAccount(name, options.user, env.PATH ?? '');
  const places = makePlaces(name, dataDir, options.root, account);
  if (account !== null) await proveReach(name, places, env);
  const available = await probeLevels({ env, groupName: groupNameOf(places.runs) });
  const resets = await works('env', ['--default-signal=INT,QUIT', 'true'], env);
  return {
    boot: bootId(),
    places,
    environment: { processEnv, passEnv, home: account?.home ?? null },
    level: chooseLevel(available, options.level),
    groups: available.groups,
    namespace: available.namespace,
    // A shell without job control starts its background programs with INT and QUIT ignored.
    become: [...(resets ? ['env', '--default-signal=INT,QUIT'] : []), ...becomeAccount(account)],
    shellTellsSignals: await tellsSignals(env),
    log: shapeLog(options.logLimitBytes),
    notes: resets ? available.notes : [...available.notes, NO_RESET],
  };
}

function makePlaces(name: string, dataDir: string, root: string | undefined, account: Places['account']): Places {
  if (dataDir.includes('\n')) throw new StartRefused(`runner ${name}: the data directory's path holds a line break`);
  makePassage(dataDir);
  const real = realpathSync(dataDir);
  const [runs, tasks] = [join(real, 'runs'), join(real, 'tasks')];
  mkdirSync(runs, { recursive: true, mode: 0o700 });
  makePassage(tasks);
  makePassage(join(real, 'results'));
  const places: Places = { runs, results: realpathSync(join(real, 'results')), tasks, root: root ?? real, account };
  if (!existsSync(places.root)) throw new StartRefused(`runner ${name}: root: ${places.root} does not exist`);
  proveHardLinks(name, places.runs);
  return places;
}

/** Two starts of one run are told apart by a hard link: a file system without them can't hold records. */
function proveHardLinks(name: string, dir: string): void {
  const file = join(dir, `.probe-${process.pid}`);
  try {
    writeFileSync(file, '');
    rmSync(`${file}-link`, { force: true });
    linkSync(file, `${file}-link`);
  } catch (error) {
    throw new StartRefused(
      `runner ${name}: the data directory can't hold records of runs: ${(error as Error).message}`,
    );
  } finally {
    rmSync(file, { force: true });
    rmSync(`${file}-link`, { force: true });
  }
}

/** The account must get to the directories of its tasks and to the results of its runs, through all that is above them. */
async function proveReach(name: string, { tasks, results, account }: Places, env: NodeJS.ProcessEnv): Promise<void> {
  const [setpriv = '', ...words] = becomeAccount(account);
  for (const dir of [tasks, results]) {
    if (await works(setpriv, [...words, 'sh', '-c', 'cd -- "$0"', dir], env)) continue;
    const remedy = 'give others permission to pass through (chmod o+x) it and each directory above it';
    throw new StartRefused(`runner ${name}: user: account "${account?.name}" can't enter ${dir}: ${remedy}`);
  }
}

/** Two data directories on one machine never share a group. */
function groupNameOf(runs: string): string {
  return `standdown-${createHash('sha256').update(runs).digest('hex').slice(0, 12)}`;
}

async function tellsSignals(env: NodeJS.ProcessEnv): Promise<boolean> {
  const script = `sh -c 'kill -TERM "$$"' & wait $!`;
  const { stderr } = await run('sh', ['-c', script], { env }).catch((error: { stderr: string }) => error);
  return stderr.trim() !== '';
}

function works(program: string, args: string[], env: NodeJS.ProcessEnv): Promise<boolean> {
  return run(program, args, { env }).then(
    () => true,
    () => false,
  );
}

const SIGNAL_NAMES = new Map(Object.entries(constants.signals).map(([name, number]) => [number, name.slice(3)]));

/** Name without SIG; null: no signal has that number. */
export function signalName(number: number): string | null {
  return SIGNAL_NAMES.get(number) ?? null;
}
