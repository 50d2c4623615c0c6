/** The scope of a hold as one text, by which there is one hold of each: `all`, `repository:ID`, `runner:NAME`. */
import type { HoldScope } from '../core/hold.ts';

export function formatScope(scope: HoldScope): string {
  switch (scope.kind) {
    case 'all':
      return 'all';
    case 'repository':
      return `repository:${scope.repositoryId}`;
    case 'runner':
      return `runner:${scope.runner}`;
  }
}

export function parseScope(text: string): HoldScope {
  if (text === 'all') return { kind: 'all' };
  const [, kind, name = ''] = /^(repository|runner):(.*)$/s.exec(text) ?? [];
  switch (kind) {
    case 'repository':
      return { kind, repositoryId: name };
    case 'runner':
      return { kind, runner: name };
    default:
      throw new Error(`the scope of a hold is '${text}', not 'all', 'repository:ID' or 'runner:NAME'`);
  }
}
