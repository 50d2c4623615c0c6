/** What every part of the sweep is given. */
import { type Lru, makeLru } from '../../core/lru.ts';
import type { Deps } from '../deps.ts';
import type { RepositoryRef, SweepReader } from '../ports.ts';
import { makeStopTally, type StopTally } from './stop-tally.ts';

/** The validator of a listing that is kept, and from which instant that was, in ms. */
interface OwnValidator {
  since: number;
  validator: string;
}

export interface Sweeper {
  deps: Deps;
  github: SweepReader;
  /** 0: a repository is swept only when somebody asks for it. */
  intervalMs: number;
  /** From 0 to 1. */
  chance(): number;
  tally: StopTally;
  /** Of each repository by its id. Stored is that of whoever listed last, whose token may be another app's. */
  validators: Lru<OwnValidator>;
}

/** null: this GitHub can only be asked issue by issue. */
export function makeSweeper(deps: Deps, intervalMs: number, chance: () => number = Math.random): Sweeper | null {
  const { github } = deps;
  if (github === null || !canList(github)) return null;
  const limit = () => deps.limits.massStop ?? DEFAULT_MASS_STOP;
  const tally = makeStopTally(deps.clock, limit, Math.max(intervalMs, MINUTE_MS));
  return { deps, github, intervalMs, chance, tally, validators: makeLru(REMEMBERED) };
}

const DEFAULT_MASS_STOP = 50;
const MINUTE_MS = 60_000;
const REMEMBERED = 5_000;

const NEEDED = [
  'listIssues',
  'sightIssues',
  'readAccess',
  'installedRepositories',
  'hookAttempts',
  'askAgain',
  'quota',
  'pausedUntil',
] as const satisfies readonly (keyof SweepReader)[];

function canList(github: Partial<SweepReader>): github is SweepReader {
  return NEEDED.every((name) => github[name] !== undefined);
}

/** All that have waited for the same time would come at once, and so at each interval from then on. */
export function someTimeAfter({ intervalMs, chance }: Pick<Sweeper, 'intervalMs' | 'chance'>, wait: Date): Date {
  return new Date(wait.getTime() + chance() * intervalMs);
}

export function allowanceOf({ github }: Pick<Sweeper, 'github'>, repository: RepositoryRef) {
  return { quota: github.quota(repository), pausedUntil: github.pausedUntil(repository) };
}
