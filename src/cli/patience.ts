/** Sits out an app that does not answer for a while, e.g. since it restarts. */
import { CliError, EXIT } from './exit.ts';

/** In a row; then the app counts as gone. */
const MAX_FAILURES = 60;

export interface Patience {
  /** null: no answer now; the caller tries again. Other errors, and one failure too many, are thrown. */
  try<T>(ask: () => Promise<T>): Promise<T | null>;
  /** The last failure; null: the app answered since. */
  trouble(): string | null;
}

export function makePatience(): Patience {
  let failures = 0;
  let trouble: string | null = null;
  return {
    async try(ask) {
      try {
        const answer = await ask();
        failures = 0;
        trouble = null;
        return answer;
      } catch (error) {
        failures += 1;
        if (failures >= MAX_FAILURES || !isPassing(error)) throw error;
        trouble = error.message;
        return null;
      }
    },
    trouble: () => trouble,
  };
}

function isPassing(error: unknown): error is CliError {
  return error instanceof CliError && error.exitCode === EXIT.unreachable;
}
