/** Advisory locks of this app: the first number is its own, the second says what for. */
export const LOCK_SPACE = 0x57_d0_17;
export const LOCKS = { outboxClaims: 1, journal: 2, migration: 3, writes: 4 } as const;
