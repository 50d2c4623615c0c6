/** How it stands with runners, as `/readyz` shows it. */
import type { Deps } from '../engine/deps.ts';
import type { EngineStatus } from '../engine/engine.ts';
import type { LeftoversSeen } from '../engine/orphans/index.ts';
import { silenceOf } from '../engine/silence.ts';

/** The account that the runner's runs have; null: the app's own; undefined: none of this machine. */
type AccountOf = (runner: string) => string | null | undefined;

/** More than this say nothing more. */
const MOST_SHOWN = 20;

/** `seen`: what lives there and nobody wants alive; null: nobody has looked yet. */
export async function renderRunners(
  deps: Deps,
  accountOf: AccountOf,
  seen: EngineStatus['leftovers'] | null,
): Promise<object> {
  const names = deps.runners.names();
  const isAnySilent = names.some((name) => silenceOf(deps, name) !== null);
  const live = isAnySilent ? await deps.store.liveRuns().catch(() => []) : [];
  const runsOf = (name: string) => live.filter(({ runner }) => runner === name).length;
  const stateOf = (name: string) => ({
    ...runnerState(deps, accountOf, { name, runs: runsOf(name) }),
    ...renderLeftovers(seen?.get(name)),
  });
  return Object.fromEntries(names.map((name) => [name, stateOf(name)]));
}

function runnerState(deps: Deps, accountOf: AccountOf, { name, runs }: { name: string; runs: number }): object {
  const profile = deps.runners.get(name)?.profile;
  if (profile === undefined) return { state: 'degraded' };
  const { kind, containment, maxRunning, notes, heard = true } = profile;
  const facts = { kind, containment, user: accountOf(name), max_running: maxRunning, notes };
  const silence = silenceOf(deps, name);
  if (silence === null) return heard ? { state: 'ok', ...facts } : { state: 'degraded', ...facts, heard };
  return {
    state: 'degraded',
    ...facts,
    silent_since: silence.since.toISOString(),
    silent_because: silence.reason,
    runs_left_alone: runs,
    needs_person: silence.needsPerson && runs > 0,
  };
}

/** What lives there and nobody here wants alive: runs of ours that are being ended, and runs that are not known. */
function renderLeftovers(seen: LeftoversSeen | undefined): object {
  const { orphans = [], strangers = [] } = seen ?? {};
  return {
    orphans: orphans.slice(0, MOST_SHOWN).map(({ runId, since }) => ({ run_id: runId, since: since.toISOString() })),
    orphans_in_all: orphans.length,
    unknown_runs: strangers.slice(0, MOST_SHOWN),
    unknown_runs_in_all: strangers.length,
  };
}
