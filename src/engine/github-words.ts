/** What went wrong with GitHub, for whoever has to do something about it. Its errors hold no secret (see github/classify). */
import type { GitHubError } from './ports.ts';

/** One sentence that names GitHub, what it said, and what to do. */
export function githubWords({ code, status, message, retryAfterSeconds }: GitHubError): string {
  switch (code) {
    case 'retryable':
      return `GitHub gave no answer to rely on (${message}): try again`;
    case 'throttled':
      return `GitHub wants fewer requests (${message}): try again in ${retryAfterSeconds ?? 60} s`;
    case 'lost_access':
      return status === 401
        ? `GitHub refuses the app's credentials (${message}): check GITHUB_TOKEN, or the App's APP_ID and PRIVATE_KEY`
        : `GitHub gives the app no access (${message}): check what the App or GITHUB_TOKEN may read`;
    case 'locked':
      return `GitHub takes no comment on a locked issue (${message}): unlock it`;
    case 'refused':
      return `GitHub refuses this (${message})`;
  }
}
