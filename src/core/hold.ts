/** A person's word that nothing starts in a scope wider than one batch. What runs goes on. */
import type { Hold, Task } from './task.ts';

export type HoldScope =
  | { kind: 'all' }
  | { kind: 'repository'; repositoryId: string }
  | { kind: 'runner'; runner: string };

export interface ScopedHold extends Hold {
  scope: HoldScope;
}

export function covers({ scope }: ScopedHold, { repositoryId, spec }: Pick<Task, 'repositoryId' | 'spec'>): boolean {
  switch (scope.kind) {
    case 'all':
      return true;
    case 'repository':
      return scope.repositoryId === repositoryId;
    case 'runner':
      return scope.runner === spec.runsOn;
  }
}
