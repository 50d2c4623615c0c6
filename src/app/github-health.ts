/** Whether GitHub answers: judged by the newest call that is known, and asked once at the start. */
import { githubWords } from '../engine/github-words.ts';
import { GitHubError, type GitHubReader, type Logger } from '../engine/ports.ts';

export type GitHubState = 'ok' | 'degraded';

/** The same GitHub, and how it stands with it. Before its first answer nothing is known to be right. */
export function watchGitHub<T extends object>(github: T): { github: T; state(): GitHubState } {
  let state: GitHubState = 'degraded';
  const watched = new Proxy(github, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return (...args: unknown[]) => {
        const answer: unknown = member.apply(target, args);
        if (answer instanceof Promise) {
          answer.then(
            () => {
              state = 'ok';
            },
            (error: unknown) => {
              state = stateAfter(error) ?? state;
            },
          );
        }
        return answer;
      };
    },
  });
  return { github: watched, state: () => state };
}

/** null: it tells nothing of GitHub. That one thing is refused is an answer like any other. */
function stateAfter(error: unknown): GitHubState | null {
  if (!(error instanceof GitHubError)) return null;
  if (error.code === 'retryable' || error.code === 'throttled' || error.status === 401) return 'degraded';
  return error.status === null ? null : 'ok';
}

/** Nobody waits for it: GitHub may be away for long. */
export function askGitHub(github: Pick<GitHubReader, 'check'> | null, log: Logger): void {
  github?.check?.().catch((error: unknown) => {
    const problem = error instanceof GitHubError ? githubWords(error) : String(error);
    log.warn({ problem }, 'GitHub can not be used');
  });
}
