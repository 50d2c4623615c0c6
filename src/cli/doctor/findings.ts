/** What a look at the app finds: what is wrong, what is worth knowing, and what is as it should be. Pure. */
import { age } from '../../core/report/text.ts';
import type { IssueDataView, ReadyView, RunnerView, WebhooksView } from './ready-view.ts';

export interface Finding {
  /** `note`: worth knowing, and nobody has to do anything about it. */
  level: 'ok' | 'note' | 'wrong';
  of: string;
  message: string;
}

const DAY_MS = 86_400_000;
/** An orphan that lives for longer, after its KILL, is none that ends by itself. */
const ORPHAN_MS = 300_000;

export function findingsOf(ready: ReadyView, now: Date): Finding[] {
  const { status, database, data, webhooks, runners, not_enforced: idle } = ready;
  return [
    finding(status === 'ok' ? 'ok' : 'wrong', 'app', status === 'ok' ? 'takes deliveries' : `takes none: ${status}`),
    finding(database === 'ok' ? 'ok' : 'wrong', 'database', database),
    ...ofGitHub(ready),
    ...ofSweep(ready, now),
    ...(data ? ofData(data, now) : []),
    ...(webhooks ? ofWebhooks(webhooks, now) : []),
    ...ofRunners(runners, now),
    ...idle.map((key) => finding('note', 'configuration', `${key} is set, and this version does not act on it`)),
  ];
}

function finding(level: Finding['level'], of: string, message: string): Finding {
  return { level, of, message };
}

function ofGitHub({ github, sweep }: ReadyView): Finding[] {
  if (github === 'not configured') return [finding('note', 'github', 'no App and no token: no issue is followed')];
  if (github === 'ok') return [finding('ok', 'github', 'answers')];
  const what = sweep && sweep.errors > 0 ? 'an answer that the last sweep needed' : 'its newest answer';
  return [finding('wrong', 'github', `${github}: ${what} was none to rely on; the app's log says why`)];
}

function ofSweep({ sweep }: ReadyView, now: Date): Finding[] {
  if (sweep === undefined) return [];
  if (!sweep.done_at_start)
    return [finding('note', 'sweep', 'the one at start is not over: nothing is started before')];
  const issues = sweep.issues.map(({ issue, code, message, since }) =>
    finding('wrong', 'sweep', `${issue} has news, and can't be followed for ${age(since, now)}: ${code}: ${message}`),
  );
  if (sweep.errors === 0) return [finding('ok', 'sweep', 'the last one reached all it looks at'), ...issues];
  const all = `${sweep.errors} of what it looks at could not be read or brought in line`;
  return [finding('wrong', 'sweep', all), ...issues];
}

function ofData(data: IssueDataView, now: Date): Finding[] {
  const { repositories, oldest_repository, age_seconds, problems, problems_in_all } = data;
  const oldest = age_seconds === null ? 'not read yet' : `${age_seconds} s old at most`;
  const where = oldest_repository === null ? '' : ` (${oldest_repository})`;
  const known = repositories === 0 ? 'no task hangs on an issue' : `what is known of issues is ${oldest}${where}`;
  const more = problems_in_all - problems.length;
  return [
    finding('ok', 'issues', known),
    ...problems.map(({ repository, code, message, since }) =>
      finding('wrong', 'issues', `${repository} can't be read for ${age(since, now)}: ${code}: ${message}`),
    ),
    ...(more > 0 ? [finding('wrong', 'issues', `${more} more repositories can't be read`)] : []),
    ...ofReach(data, now),
  ];
}

/** Where unfinished tasks are, and GitHub says itself that the App can't be there or can't write. */
function ofReach({ out_of_reach: lost, out_of_reach_in_all: inAll }: IssueDataView, now: Date): Finding[] {
  const more = inAll - lost.length;
  return [
    ...lost.map(({ repository, access, since }) => ofLost(repository, access, age(since, now))),
    ...(more > 0 ? [finding('wrong', 'access', `${more} more repositories are suspended, archived or gone`)] : []),
  ];
}

function ofLost(repository: string, access: string, lasts: string): Finding {
  if (access === 'archived') {
    return finding('note', 'access', `${repository} is archived for ${lasts}: nothing starts there`);
  }
  const words =
    access === 'suspended'
      ? `the App is suspended on ${repository} for ${lasts}: no close is seen there, and nothing starts`
      : `the App was taken from ${repository} ${lasts} ago: what is left there ends soon`;
  return finding('wrong', 'access', words);
}

function ofWebhooks(webhooks: WebhooksView, now: Date): Finding[] {
  const { missed, recovered, given_up: givenUp, looked_at: lookedAt, problem } = webhooks;
  const looked = lookedAt === null ? 'not looked for yet' : `looked for ${age(lookedAt, now)} ago`;
  const counts = `${missed} missed, ${recovered} recovered, ${givenUp} given up; ${looked}`;
  const { oldest_missed_at: oldestAt, last_given_up_at: gaveUpAt } = webhooks;
  const oldest = oldestAt === null ? '' : `; the oldest that is missed was sent ${age(oldestAt, now)} ago`;
  const found = [finding(missed > 0 ? 'note' : 'ok', 'webhooks', `${counts}${oldest}`)];
  // Who gave up long ago is a matter of the past, which the sweep has seen to.
  if (gaveUpAt !== null && now.getTime() - gaveUpAt.getTime() < DAY_MS) {
    const message = `one was given up ${age(gaveUpAt, now)} ago: see whether GitHub reaches the App's webhook address`;
    found.push(finding('wrong', 'webhooks', message));
  }
  if (problem !== null) found.push(finding('note', 'webhooks', `missed ones are left to the sweep: ${problem}`));
  return found;
}

const MAX_NAMED = 5;

function ofLeftovers(of: string, runner: RunnerView, now: Date): Finding[] {
  const { orphans, orphans_in_all: inAll, unknown_runs: unknown, unknown_runs_in_all: unknownInAll } = runner;
  const more = inAll - orphans.length;
  return [
    ...orphans.map(({ run_id: id, since }) => {
      const level = now.getTime() - since.getTime() > ORPHAN_MS ? 'wrong' : 'note';
      return finding(level, of, `run ${id} has ended here and lives there; it is being ended for ${age(since, now)}`);
    }),
    ...(more > 0 ? [finding('note', of, `${more} more runs have ended here and live there`)] : []),
    ...(unknownInAll > 0 ? [finding('note', of, unknownWords(unknown, unknownInAll))] : []),
  ];
}

function unknownWords(ids: readonly string[], inAll: number): string {
  const named = ids.slice(0, MAX_NAMED);
  const more = inAll - named.length;
  const what =
    inAll === 1
      ? 'a run lives there that is not known here, and is'
      : `${inAll} runs live there that are not known here, and are`;
  return `${what} left alone: ${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

function ofRunners(runners: ReadyView['runners'], now: Date): Finding[] {
  const names = Object.entries(runners);
  if (names.length === 0) return [finding('note', 'runners', 'none is configured: nothing can be started')];
  return names.flatMap(([name, runner]) => ofRunner(`runner ${name}`, runner, now));
}

function ofRunner(of: string, runner: RunnerView, now: Date): Finding[] {
  const {
    state,
    kind,
    containment,
    user,
    notes,
    silent_since: since,
    silent_because: why = 'the log says why',
  } = runner;
  if (since !== undefined) {
    const person = runner.needs_person ? `; see what became of that machine and of its ${runs(runner)}` : '';
    return [finding('wrong', of, `gives no answer for ${age(since, now)}: ${why}${person}`)];
  }
  if (!runner.heard) return [finding('note', of, 'not heard of yet')];
  if (state !== 'ok') return [finding('wrong', of, state)];
  const facts = [kind, containment && `containment ${containment}`, user && `runs as ${user}`];
  const own =
    'runs belong to the account of the app, and could read its key and its database: `user` gives them another';
  return [
    finding('ok', of, facts.filter(Boolean).join(', ')),
    ...(user === null ? [finding('note', of, own)] : []),
    ...notes.map((note) => finding('note', of, note)),
    ...ofLeftovers(of, runner, now),
  ];
}

function runs({ runs_left_alone: count }: RunnerView): string {
  return count === 1 ? '1 run, which is left alone' : `${count} runs, which are left alone`;
}
