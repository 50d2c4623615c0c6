import type { Write } from '../../engine/ports.ts';
import type { Statements } from '../database.ts';
import { toBatchChange, toLiveKey } from '../rows/batch.ts';
import { expectNew, expectOne, GuardFailed } from './guard.ts';

/** A batch that is set running again claims its name again, and fails as a guard does if another has it. */
export async function updateBatch(tx: Statements, change: Extract<Write, { write: 'batch.update' }>): Promise<void> {
  const { state } = change.set;
  const data = {
    ...toBatchChange(change.set),
    ...(state === undefined ? {} : { liveKey: await readLiveKey(tx, change.id, state) }),
    version: { increment: 1 },
  };
  const update = tx.batch.updateMany({ where: { id: change.id, version: change.version }, data });
  await expectNew(expectOne(update));
}

async function readLiveKey(
  tx: Statements,
  id: string,
  state: NonNullable<Extract<Write, { write: 'batch.update' }>['set']['state']>,
): Promise<string | null> {
  if (state !== 'running') return null;
  const batch = await tx.batch.findUnique({ where: { id }, select: { repositoryId: true, name: true } });
  if (batch === null) throw new GuardFailed();
  return toLiveKey({ ...batch, state });
}
