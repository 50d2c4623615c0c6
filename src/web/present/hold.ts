/** Holds of a repository, a runner or everything, as REST shows them. */
import type { ScopedHold } from '../../core/hold.ts';
import type { ScopedHoldView } from '../schemas/hold.ts';
import { fullName, presentHold, type Repositories } from './shared.ts';

export function presentScopedHold(hold: ScopedHold, now: Date, repositories: Repositories): ScopedHoldView {
  const { scope, at } = hold;
  const ageSeconds = Math.max(0, Math.floor((now.getTime() - at.getTime()) / 1_000));
  const held = { ...presentHold(hold), age_seconds: ageSeconds };
  switch (scope.kind) {
    case 'all':
      return { scope: 'all', ...held };
    case 'repository':
      return { scope: 'repository', repository: fullName(scope.repositoryId, repositories), ...held };
    case 'runner':
      return { scope: 'runner', runner: scope.runner, ...held };
  }
}
