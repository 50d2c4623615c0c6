/** Who sends: one for a process, since GitHub wants writes one after the other. */
import type { WritePace } from '../../core/pace.ts';
import type { Deps } from '../deps.ts';
import type { GitHubReader, GitHubWriter } from '../ports.ts';
import { makePauses, type Pauses } from './pauses.ts';

export interface Sender {
  deps: Deps;
  /** Names this process in leases. */
  owner: string;
  pace: WritePace;
  pauses: Pauses;
}

export function makeSender(given: Omit<Sender, 'pauses'>): Sender {
  return { ...given, pauses: makePauses(given.deps.clock) };
}

export type Writer = GitHubReader & GitHubWriter;

/** Where GitHub can only be read, what is owed stays owed. */
export function writerOf({ github }: Deps): Writer | null {
  return github !== null && isWriter(github) ? github : null;
}

function isWriter(github: NonNullable<Deps['github']>): github is Writer {
  const { findComment, createComment, updateComment, react, closeIssue } = github;
  return [findComment, createComment, updateComment, react, closeIssue].every((call) => call !== undefined);
}
