import type { ScopedHold } from '../../core/hold.ts';
import type { Hold as HoldRow } from '../generated/sqlite/client.ts';
import { formatScope, parseScope } from '../hold-scope.ts';

export function toHoldRow({ scope, reason, actor, at }: ScopedHold): HoldRow {
  return { scope: formatScope(scope), reason, actor, at };
}

export function fromHoldRow(row: HoldRow): ScopedHold {
  return { ...row, scope: parseScope(row.scope) };
}
