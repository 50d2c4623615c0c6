/**
 * Which levels of containment this machine really gives: each is tried, not guessed from versions or permissions. The
 * reasons why one is not available are kept for people.
 */
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { StartRefused } from '../../../engine/ports.ts';
import { throwIfShort } from '../proc.ts';
import { killGroup, processesIn } from './cgroup.ts';
import { CONTAINMENTS, type Containment } from './level.ts';

const run = promisify(execFile);
const TRY_MS = 10_000;
/** Names of groups that are no run's. */
export const PROBE_PREFIX = 'probe-';
/** systemd's `DelegateSubgroup=` of this name: the group above it is the app's, too, and holds no processes. */
const APP_GROUP = 'standdown-app';

export interface Available {
  /** Where runs get their groups; null: not available. */
  groups: string | null;
  /** Options of unshare(1); null: not available. */
  namespace: string | null;
  /** One sentence for each level that is not available. */
  notes: readonly string[];
}

export interface ProbeOptions {
  env: NodeJS.ProcessEnv;
  /** Name of the group that holds the groups of all runs of one data directory. */
  groupName: string;
}

export async function probeLevels(options: ProbeOptions): Promise<Available> {
  const notes: string[] = [];
  const note = (level: string) => (error: unknown) => {
    notes.push(`${level} is not available: ${reasonOf(error)}`);
    return null;
  };
  const groups = await tryGroups(options).catch(note('cgroup'));
  const namespace = await tryNamespace(options).catch(note('pidns'));
  return { groups, namespace, notes };
}

export function chooseLevel({ groups, namespace, notes }: Available, forced: Containment | undefined): Containment {
  const available: Record<Containment, boolean> = { cgroup: groups !== null, pidns: namespace !== null, scan: true };
  if (forced === undefined) return CONTAINMENTS.find((level) => available[level]) ?? 'scan';
  if (available[forced]) return forced;
  throw new StartRefused(notes.find((note) => note.startsWith(forced)) ?? `${forced} is not available`);
}

/** Moves a process into a group below our own, or beside it, kills it there, and sees the group empty. */
async function tryGroups({ env, groupName }: ProbeOptions): Promise<string> {
  const own = ownGroup(readFileSync('/proc/self/mountinfo', 'utf8'), readFileSync('/proc/self/cgroup', 'utf8'));
  const place = basename(own) === APP_GROUP ? dirname(own) : own;
  const groups = join(place, groupName);
  mkdirSync(groups, { recursive: true });
  if (place !== own) countMemory(place);
  countMemory(groups);
  if (!existsSync(join(groups, 'cgroup.kill'))) throw new Error('this kernel has no cgroup.kill (Linux 5.14)');
  const probe = mkdtempSync(join(groups, PROBE_PREFIX));
  try {
    const script = 'echo 0 >"$1/cgroup.procs" && echo joined && exec sleep 10';
    const trial = run('sh', ['-c', script, 'standdown-probe', probe], { env, timeout: TRY_MS });
    trial.child.stdout?.once('data', () => killGroup(probe));
    const ended = await trial.then(
      () => null,
      (error: { signal?: string; stderr?: string }) => error,
    );
    if (ended?.signal !== 'SIGKILL')
      throw new Error(`a process could not be moved into a group: ${ended?.stderr ?? ''}`);
    if (processesIn(probe).length > 0) throw new Error('a killed group did not become empty');
  } finally {
    rmdirSync(probe);
  }
  return groups;
}

/**
 * Lets the groups in this one tell kills for want of memory. A group with processes of its own can't, and one without the controller: then
 * such kills are told from no others.
 */
function countMemory(group: string): void {
  try {
    writeFileSync(join(group, 'cgroup.subtree_control'), '+memory');
  } catch (error) {
    throwIfShort(error);
  }
}

/** `mountinfo` has the mount's root in field 4 and its place in field 5; `0::` is our path in the one hierarchy of version 2. */
export function ownGroup(mountinfo: string, cgroup: string): string {
  const path = cgroup
    .split('\n')
    .find((line) => line.startsWith('0::'))
    ?.slice(3);
  if (path === undefined) throw new Error('this process is in no cgroup of version 2');
  for (const line of mountinfo.split('\n')) {
    const [, , , root = '', place = ''] = line.split(' ');
    if (!line.includes(' - cgroup2 ')) continue;
    const below = root === '/' ? path : path.startsWith(`${root}/`) || path === root ? path.slice(root.length) : null;
    if (below !== null && !below.startsWith('/..')) return join(unescapeOctal(place), below);
  }
  throw new Error('no cgroup2 file system is mounted that shows our own group');
}

/** Blanks and backslashes in mountinfo are written as \040 and the like. */
function unescapeOctal(text: string): string {
  return text.replaceAll(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
}

const COMMON = '--pid --fork --kill-child --mount-proc';

/** The shell must be the first process, find its number outside, and see no other process. */
async function tryNamespace({ env }: ProbeOptions): Promise<string> {
  const options = process.getuid?.() === 0 ? COMMON : `--user --map-current-user ${COMMON}`;
  const script = `exec 9</proc; exec unshare ${options} sh -c '${INSIDE}'`;
  const { stdout } = await run('sh', ['-c', script], { env, timeout: TRY_MS });
  const [inside, outside, seen] = stdout.trim().split(' ');
  if (inside !== '1' || seen !== '1' || !(Number(outside) > 1)) throw new Error(`unshare gave "${stdout.trim()}"`);
  return options;
}

const INSIDE = `read -r stat </proc/self/fd/9/self/stat; set -- /proc/[0-9]*; echo "$$ \${stat%% *} $#"`;

/** What stops a group from taking all process numbers of the machine, where the controller is there. */
export function limitProcesses(group: string, limit: number): void {
  const file = join(group, 'pids.max');
  if (existsSync(file)) writeFileSync(file, String(limit));
}

function reasonOf(error: unknown): string {
  const { stderr, message } = error as { stderr?: string; message?: string };
  return (stderr || message || String(error)).trim().split('\n')[0] ?? 'unknown';
}
