import { GitHubError } from './ports.ts';

/** What GitHub does not answer in time counts as no answer; the request itself goes on. */
export async function withinMs<T>(ms: number, reading: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new GitHubError('retryable', 'GitHub gave no answer in time')), ms);
  });
  return Promise.race([reading, deadline]).finally(() => clearTimeout(timer));
}
