/** How it stands with the app: alive, and ready as long as a delivery can be accepted and kept. */
import type { Deps } from '../engine/deps.ts';
import type { Engine } from '../engine/engine.ts';
import type { IssueProblem } from '../engine/issue-problems.ts';
import { missedState } from '../engine/missed/index.ts';
import { dataAge } from '../engine/sweep/index.ts';
import type { Health } from '../web/index.ts';
import type { GitHubState } from './github-health.ts';
import { renderRunners } from './runner-health.ts';
import { renderWebhooks } from './webhook-health.ts';

export interface HealthOptions {
  /** null until the first sweep is over. */
  engine: () => Engine | null;
  githubState(): GitHubState;
  /** Whether GitHub delivers anything: with an App it does. */
  hasWebhooks: boolean;
  /** The account that the runner's runs have; null: the app's own; undefined: none of this machine. */
  accountOf(runner: string): string | null | undefined;
  /** Keys of the operator's file that nothing acts on. */
  notEnforced(): readonly string[];
  closing: AbortSignal;
}

export function makeHealth(deps: Deps, options: HealthOptions): Health {
  const { engine, githubState, closing } = options;
  return {
    live: () => true,
    sweepErrors: () => engine()?.status().lastSweepErrors ?? 0,
    async ready() {
      const database = await checkDatabase(deps);
      const ok = database === 'ok' && !closing.aborted;
      const status = engine()?.status() ?? null;
      const body = {
        status: ok ? 'ok' : closing.aborted ? 'draining' : 'unavailable',
        database,
        github: deps.github === null ? 'not configured' : withSweep(githubState(), status),
        sweep: {
          done_at_start: status?.swept ?? false,
          last_at: status?.lastSweepAt?.toISOString() ?? null,
          errors: status?.lastSweepErrors ?? 0,
          issues: database === 'ok' ? await renderIssues(deps, status?.issueProblems ?? []) : [],
        },
        data: database === 'ok' && deps.github !== null ? await renderDataAge(deps) : null,
        webhooks: database === 'ok' && options.hasWebhooks ? renderWebhooks(await missedState(deps)) : null,
        runners: await renderRunners(deps, options.accountOf, status?.leftovers ?? null),
        not_enforced: options.notEnforced(),
        backlog: database === 'ok' ? await deps.store.queries.backlog() : null,
      };
      return { ok, body };
    },
  };
}

/** More than this say nothing more. */
const MOST_PROBLEMS = 20;

/** What is known of GitHub's issues, by the repository that was looked at longest ago. */
async function renderDataAge(deps: Deps): Promise<object> {
  const { repositories, oldestAt, oldest, problems, outOfReach } = await dataAge(deps);
  const age = oldestAt === null ? null : Math.max(0, Math.round((deps.clock().getTime() - oldestAt.getTime()) / 1_000));
  return {
    repositories,
    oldest_repository: oldest,
    oldest_at: oldestAt?.toISOString() ?? null,
    age_seconds: age,
    problems: problems.slice(0, MOST_PROBLEMS).map(({ repository, code, message, since, failures, nextTryAt }) => ({
      repository,
      code,
      message,
      since: since.toISOString(),
      failures,
      next_try_at: nextTryAt.toISOString(),
    })),
    problems_in_all: problems.length,
    out_of_reach: outOfReach
      .slice(0, MOST_PROBLEMS)
      .map(({ repository, access, since }) => ({ repository, access, since: since.toISOString() })),
    out_of_reach_in_all: outOfReach.length,
  };
}

/** Issues with news that can't be read, the one that lasts longest first. */
async function renderIssues({ store }: Deps, problems: readonly IssueProblem[]): Promise<object[]> {
  const shown = problems.toSorted((a, b) => a.since.getTime() - b.since.getTime()).slice(0, MOST_PROBLEMS);
  const found = await store.queries.repositories([...new Set(shown.map(({ issue }) => issue.repositoryId))]);
  return shown.map(({ issue: { repositoryId, number }, code, message, since, failures, nextTryAt }) => ({
    issue: `${found.get(repositoryId)?.fullName ?? ''}#${number}`,
    code,
    message,
    since: since.toISOString(),
    failures,
    next_try_at: nextTryAt.toISOString(),
  }));
}

async function checkDatabase({ store, log }: Deps): Promise<'ok' | 'unavailable'> {
  try {
    await store.check();
    return 'ok';
  } catch (error) {
    log.error({ err: error }, 'database check failed');
    return 'unavailable';
  }
}

/** What the last sweep could not read stays unread until the next one, whatever is answered meanwhile. */
function withSweep(state: GitHubState, status: { lastSweepErrors: number } | null): GitHubState {
  return (status?.lastSweepErrors ?? 0) > 0 ? 'degraded' : state;
}
