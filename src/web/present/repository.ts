/** What is known of repositories, as REST shows it. */
import type { RepositoryState, SweepProblem } from '../../engine/ports.ts';
import type { LookProblemView, RepositoryView } from '../schemas/repository.ts';
import { ageSeconds, time } from './shared.ts';

export function presentRepository(state: RepositoryState, now: Date): RepositoryView {
  const { id, fullName, access, accessSince, sweptAt, verifiedAt, sweepProblem } = state;
  return {
    ...{ id, full_name: fullName, access, access_since: time(accessSince) },
    ...{ swept_at: time(sweptAt), verified_at: time(verifiedAt) },
    data_age_seconds: sweptAt && ageSeconds(sweptAt, now),
    problem: sweepProblem && presentProblem(sweepProblem),
  };
}

export function presentProblem({ look, code, message, since, nextTryAt }: SweepProblem): LookProblemView {
  return { look, code, message, since: time(since), next_try_at: time(nextTryAt) };
}
