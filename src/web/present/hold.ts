/** Holds of a repository, a runner or everything, as REST shows them. */
import type { ScopedHold } from '../../core/hold.ts';
import type { ScopedHoldView } from '../schemas/hold.ts';
import { ageSeconds, fullName, presentHold, type Repositories } from './shared.ts';

export function presentScopedHold(hold: ScopedHold, now: Date, repositories: Repositories): ScopedHoldView {
  const { scope, at } = hold;
  const held = { ...presentHold(hold), age_seconds: ageSeconds(at, now) };
  switch (scope.kind) {
    case 'all':
      return { scope: 'all', ...held };
    case 'repository':
      return { scope: 'repository', repository: fullName(scope.repositoryId, repositories), ...held };
    case 'runner':
      return { scope: 'runner', runner: scope.runner, ...held };
  }
}
