/**
 * What an agent has to remember and no record of a run says: cancels of runs that it does not know yet, and runs that were lost
 * with an earlier process of it. One small file, replaced as a whole, so that it is the old one or the new one.
 */
import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, openSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { isRunId } from '../../core/run.ts';
import type { Logger } from '../../engine/ports.ts';

const FILE = 'agent.json';
const TEMPORARY = `.${FILE}.`;
/** The oldest go first: an order that is this far behind is under way no more. */
const MOST_TOMBSTONES = 10_000;

export interface AgentState {
  /** Whether a cancel came before the run. */
  isCancelled(runId: string): boolean;
  /** Returns once it is on the disk. Throws where it can't be written. */
  noteCancelled(runId: string): void;
  isLost(runId: string): boolean;
  noteLost(runIds: readonly string[]): void;
  /** Nobody asks about them any more. */
  forgetLost(runIds: readonly string[]): void;
  /** For people: what was wrong with the file; empty: nothing. */
  notes: readonly string[];
}

const runIds = z.array(z.string().refine(isRunId));
const content = z.strictObject({ version: z.literal(1), cancelled: runIds, lost: runIds });

/** A file that can't be understood is moved aside, and what it said is gone; one that can't be read is an error. */
export function openAgentState(dir: string, log: Logger): AgentState {
  removeTemporaries(dir);
  const { cancelled, lost, notes } = load(join(dir, FILE), log);

  function save(): void {
    while (cancelled.size > MOST_TOMBSTONES) cancelled.delete(cancelled.values().next().value as string);
    replaceFile(dir, JSON.stringify({ version: 1, cancelled: [...cancelled], lost: [...lost] }));
  }

  return {
    notes,
    isCancelled: (runId) => cancelled.has(runId),
    noteCancelled(runId) {
      // In memory it counts at once, and what was asked for again is written again.
      cancelled.add(runId);
      save();
    },
    isLost: (runId) => lost.has(runId),
    noteLost(ids) {
      if (ids.length === 0) return;
      for (const id of ids) lost.add(id);
      save();
    },
    forgetLost(ids) {
      if (ids.filter((id) => lost.delete(id)).length > 0) save();
    },
  };
}

function load(path: string, log: Logger): { cancelled: Set<string>; lost: Set<string>; notes: string[] } {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return { cancelled: new Set(), lost: new Set(), notes: [] };
  }
  const found = content.safeParse(parsed(text));
  if (found.success) return { cancelled: new Set(found.data.cancelled), lost: new Set(found.data.lost), notes: [] };
  const aside = `${path}.corrupt-${Date.now().toString(36)}-${randomBytes(4).toString('hex')}`;
  renameSync(path, aside);
  log.error({ file: path, moved_to: aside }, "the agent's state could not be understood and was moved aside");
  const notes = [
    `its state could not be understood and was moved to ${aside}: cancels of runs it did not know are lost`,
  ];
  return { cancelled: new Set(), lost: new Set(), notes };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function replaceFile(dir: string, text: string): void {
  const temporary = join(dir, `${TEMPORARY}${process.pid}-${randomBytes(6).toString('hex')}`);
  try {
    writeFileSync(temporary, text, { flush: true, flag: 'wx', mode: 0o600 });
    renameSync(temporary, join(dir, FILE));
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
  syncDirectory(dir);
}

/** Without it, the new name could be lost with the machine's power. */
function syncDirectory(dir: string): void {
  const fd = openSync(dir, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** Of a process that was killed while it wrote. */
function removeTemporaries(dir: string): void {
  for (const name of readdirSync(dir).filter((entry) => entry.startsWith(TEMPORARY))) {
    rmSync(join(dir, name), { force: true });
  }
}
