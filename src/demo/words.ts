/** What is said on the demo's issues: the one command, the app's comments, and its reaction to the command. */
import { REPOSITORY } from './batch.ts';
import type { Stage } from './stage.ts';

export const TUNE_ISSUE = 6;
export const COMMAND = '/task cancel';

export type Kind = 'outcome' | 'reply';

/** Oldest first. The status is told beside them. */
export function commentsOn({ github }: Stage, issue: number, kind: Kind): string[] {
  const bodies = github.comments(REPOSITORY, issue).map((comment) => comment.body);
  return bodies.filter((body) => body.startsWith(`<!-- standdown:${kind} `));
}

/** That the comment was seen is a sign on the way only. */
export function signsOnCommand({ github }: Stage): string[] {
  const comment = github.comments(REPOSITORY, TUNE_ISSUE).find(({ body }) => body === COMMAND);
  return (comment?.reactions ?? []).map(({ content }) => content).filter((content) => content !== 'eyes');
}
