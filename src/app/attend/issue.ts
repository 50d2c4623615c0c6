/** One issue, watched by conditional requests: as long as nothing changes, they cost nothing of the rate limit. */
import { setTimeout as delay } from 'node:timers/promises';
import { GitHubError, type RepositoryRef } from '../../engine/ports.ts';
import type { GitHub } from '../../github/index.ts';
import { AttendError } from './refusal.ts';
import { endOf } from './words.ts';

type Reader = Pick<GitHub['reader'], 'findRepository' | 'readIssue' | 'pausedUntil'>;

export interface WatchedIssue {
  repository: RepositoryRef;
  number: number;
}

/** Throws `AttendError` where it is none that is open, or can't be read. */
export async function findOpenIssue(reader: Reader, fullName: string, number: number): Promise<WatchedIssue> {
  const label = `${fullName}#${number}`;
  try {
    const repository = await reader.findRepository(fullName);
    if (repository === null) throw refused(`GitHub shows no repository ${fullName} to this token`);
    const reading = await reader.readIssue(repository, number);
    if (reading.found === 'deleted') throw refused(`there is no issue ${label}`);
    const end = endOf(reading);
    if (end !== null) throw refused(`${label} was ${end}`);
    if (reading.found === 'issue' && reading.issue.isPullRequest) throw refused(`${label} is a pull request`);
    return { repository, number };
  } catch (error) {
    if (!(error instanceof GitHubError)) throw error;
    const isOut = error.code === 'lost_access' || error.code === 'refused';
    throw isOut
      ? refused(`${label} can't be read with this token: ${error.said}`)
      : new AttendError('unreachable', `nothing was started: GitHub gave no answer about ${label}: ${error.said}`);
  }
}

function refused(reason: string): AttendError {
  return new AttendError('refused', `nothing was started: ${reason}`);
}

export interface WatchOptions {
  intervalMs: number;
  tell(line: string): void;
  signal: AbortSignal;
}

/** Resolves with what became of it; null: the watch was ended. What is no answer ends nothing, and is told once. */
export async function untilGone(
  reader: Reader,
  { repository, number }: WatchedIssue,
  { intervalMs, tell, signal }: WatchOptions,
): Promise<string | null> {
  const label = `${repository.fullName}#${number}`;
  let troubled = false;
  while (await passed(Math.max(intervalMs, silenceMs(reader, repository)), signal)) {
    try {
      const end = endOf(await reader.readIssue(repository, number));
      if (end !== null) return end;
      if (troubled) tell(`${label} can be read again: it is open`);
      troubled = false;
    } catch (error) {
      // Whatever it is, the command goes on.
      const why = error instanceof GitHubError ? error.said : (error as Error).message;
      if (!troubled && !signal.aborted) tell(`${label} can't be read, the command goes on: ${why}`);
      troubled = true;
    }
  }
  return null;
}

/** GitHub may have asked for silence. */
function silenceMs(reader: Reader, repository: RepositoryRef): number {
  const until = reader.pausedUntil(repository);
  return until === null ? 0 : until.getTime() - Date.now();
}

/** False: the signal came first. */
function passed(ms: number, signal: AbortSignal): Promise<boolean> {
  return delay(ms, true, { signal }).catch(() => false);
}
