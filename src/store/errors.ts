/** Tells the few database errors apart that the store answers itself. Everything else is thrown on as it came. */

function codeOf(error: unknown): string | null {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null;
}

export function isUniqueViolation(error: unknown): boolean {
  return codeOf(error) === 'P2002';
}

/** A deadlock or serialisation failure: the transaction was rolled back and may be tried again as it is. */
export function isWriteConflict(error: unknown): boolean {
  const code = codeOf(error);
  if (code === 'P2034') return true;
  if (code !== 'P2010') return false;
  const { meta } = error as { meta?: { driverAdapterError?: { cause?: { kind?: string } } } };
  return meta?.driverAdapterError?.cause?.kind === 'TransactionWriteConflict';
}

/** Runs `attempt` again while it loses against another transaction, a few times at most. */
export async function retryConflicts<T>(attempt: () => Promise<T>, tries = 5): Promise<T> {
  try {
    return await attempt();
  } catch (error) {
    if (tries <= 1 || !isWriteConflict(error)) throw error;
    return retryConflicts(attempt, tries - 1);
  }
}
