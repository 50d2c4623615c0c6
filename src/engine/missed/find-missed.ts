/** Finds deliveries that did not arrive, and asks for them again. It makes things known sooner; what it does not find, the sweep does. */
import type { Deps } from '../deps.ts';
import { githubWords } from '../github-words.ts';
import { GitHubError, type SweepReader } from '../ports.ts';
import { askForMissed, recoverGivenUp } from './ask-again.ts';
import { notedRefusal, noteRefusal } from './memory.ts';
import { readAttempts } from './read-attempts.ts';

const LOOK_MS = 300_000;
const HOUR_MS = 3_600_000;
/** GitHub asks for a second between two requests that change something. */
const ASK_GAP_MS = 1_000;

type Reader = Pick<SweepReader, 'hookAttempts' | 'askAgain'>;

/**
 * Gives when to look again: every 5 minutes, which costs one request while all is quiet, sooner while something is missed, hourly where
 * GitHub doesn't tell. `gapMs`: between two asks. Throws `GitHubError` where it gives no answer.
 */
export async function findMissed(deps: Deps, { gapMs = ASK_GAP_MS }: { gapMs?: number } = {}): Promise<Date> {
  const inMs = (ms: number) => new Date(deps.clock().getTime() + ms);
  const { github } = deps;
  if (github === null || !canTell(github)) return inMs(HOUR_MS);
  try {
    const arrived = await readAttempts(deps, github);
    if (arrived === null) return inMs(HOUR_MS);
    await recoverGivenUp(deps, arrived);
    const nextAt = await askForMissed(deps, github, { arrived, gapMs });
    const lookAt = inMs(LOOK_MS);
    return nextAt !== null && nextAt < lookAt ? nextAt : lookAt;
  } catch (error) {
    if (!isRefused(error)) throw error;
    await tellRefusal(deps, error);
    return inMs(HOUR_MS);
  }
}

function canTell(github: Partial<Reader>): github is Reader {
  return github.hookAttempts !== undefined && github.askAgain !== undefined;
}

/** The App may not ask, or this GitHub has no such page. Wrong credentials are something else, and tried again. */
function isRefused(error: unknown): error is GitHubError {
  return error instanceof GitHubError && error.code === 'lost_access' && error.status !== 401;
}

/** Once, for as long as it lasts. */
async function tellRefusal(deps: Deps, error: GitHubError): Promise<void> {
  const { store, clock, log } = deps;
  const problem = githubWords(error);
  if ((await notedRefusal(store)) === null) log.warn({ problem }, 'GitHub does not tell of missed deliveries');
  await store.commit([noteRefusal(problem, clock())]);
}
