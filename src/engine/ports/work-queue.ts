/** The queue of keys that have to be looked at. */
export interface WorkLease {
  key: string;
  fence: number;
  failures: number;
}

/** The queue of keys. A key enqueued while it is worked on is worked on again; one holder at a time. */
export interface WorkQueue {
  /** Due keys that nobody holds, and keys whose holder's lease ran out, oldest due first. */
  claim(owner: string, limit: number, leaseMs: number): Promise<readonly WorkLease[]>;
  renew(lease: WorkLease, leaseMs: number): Promise<boolean>;
  /** Done: the key leaves the queue. False: it was enqueued meanwhile, and is due as enqueued, or somebody else holds it now. */
  complete(lease: WorkLease): Promise<boolean>;
  /** Failed: due again at `dueAt` or as enqueued meanwhile, whichever is earlier, with one failure more. */
  fail(lease: WorkLease, dueAt: Date, error: string): Promise<void>;
  /** Due at the earlier of both times, where a key is there already. */
  enqueue(keys: readonly { key: string; dueAt: Date }[]): Promise<void>;
  /** The same, but nothing wakes this process for it: it is for another one on the same database, if there is one. */
  enqueueForOthers(keys: readonly { key: string; dueAt: Date }[]): Promise<void>;
  /** When the next key is due or the next held lease runs out; null: the queue is empty. */
  nextDue(): Promise<Date | null>;
  /** Leases (of the outbox too) that a dead process left behind end at once. Only where one process owns the database. */
  reclaim(): Promise<void>;
  /**
   * The clock was set back by so much: what is due later (keys, messages, the end of a pause of the outbox) is due by so much sooner, but
   * not before now. Only where one process owns the database.
   */
  bringForward(byMs: number): Promise<void>;
}
