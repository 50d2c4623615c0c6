/**
 * A GitHub that has lost its mind says of many issues at once that they are over. More stops than the operator allows wait for one
 * more answer to the same question; what that one does not say again is left as it is.
 */
import { wouldStop } from '../../core/issue-news.ts';
import { repositoryEvent } from '../journal.ts';
import type { RepositoryState } from '../ports.ts';
import type { Sweeper } from './sweeper.ts';
import { countStops, type Sighting } from './take-news.ts';

interface Doubtful {
  sightings: readonly Sighting[];
  /** Asks once more. */
  again(): Promise<readonly Sighting[]>;
}

export interface Confirmed {
  /** What may be acted on. */
  sightings: readonly Sighting[];
  /** Issues whose end the second answer did not tell. */
  dropped: number;
}

export async function confirmed(sweeper: Sweeper, state: RepositoryState, doubtful: Doubtful): Promise<Confirmed> {
  const { sightings, again } = doubtful;
  const stops = await countStops(sweeper, sightings);
  if (!sweeper.tally.add(stops)) return { sightings, dropped: 0 };
  const { deps } = sweeper;
  deps.log.warn({ repository: state.fullName, stops }, 'many stops at once: GitHub is asked once more');
  const second = new Map((await again()).map((sighting) => [sighting.known.number, sighting]));
  const kept = sightings.filter((sighting) => !isStop(sighting) || isStop(second.get(sighting.known.number)));
  const dropped = sightings.length - kept.length;
  const data = { stops, issues_not_confirmed: dropped };
  await deps.store.commit([repositoryEvent('RECONCILIATION_ASKED_AGAIN', deps.clock(), state.id, data)]);
  return { sightings: kept, dropped };
}

function isStop(sighting: Sighting | undefined): boolean {
  if (sighting === undefined) return false;
  return sighting.seen === null ? !sighting.isUnanswered : wouldStop(sighting.known, sighting.seen);
}
