/** How long GitHub is waited for while a comment is carried out. */
import { GitHubError } from '../ports.ts';

/** About four seconds, or three minutes where GitHub asks to wait; then what hangs on it is refused, which can be said again. */
const TRIES = 4;

/** Throws while trying again may help; the queue's back-off brings the comment back. */
export async function orError<T>(failures: number, ask: () => Promise<T>): Promise<T | GitHubError> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof GitHubError)) throw error;
    if (isWorthWaiting(error, failures)) throw error;
    return error;
  }
}

/** Whether trying again may help, and was not tried often enough. */
export function isWorthWaiting({ code }: GitHubError, failures: number): boolean {
  return (code === 'retryable' || code === 'throttled') && failures + 1 < TRIES;
}
