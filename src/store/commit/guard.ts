/** A guard that no longer holds ends the transaction by being thrown, and never leaves `commit`. */
import { isUniqueViolation } from '../errors.ts';

export class GuardFailed extends Error {
  override readonly name = 'GuardFailed';
}

/** For updates that name what must still be true: one row is changed, or the guard did not hold. */
export async function expectOne(update: PromiseLike<{ count: number }>): Promise<void> {
  const { count } = await update;
  if (count !== 1) throw new GuardFailed();
}

/** For inserts whose uniqueness is the guard. */
export async function expectNew(insert: PromiseLike<unknown>): Promise<void> {
  try {
    await insert;
  } catch (error) {
    throw isUniqueViolation(error) ? new GuardFailed() : error;
  }
}
