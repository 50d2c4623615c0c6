/** What GitHub delivered, kept before it is answered. */
export interface Delivery {
  /** GitHub's `X-GitHub-Delivery`. */
  id: string;
  event: string;
  /** The raw JSON body. */
  payload: string;
  receivedAt: Date;
}

/** `processed`, or why nothing came of it. */
export type DeliveryOutcome = 'processed' | 'ignored' | 'malformed';

export interface Inbox {
  /** One INSERT. A known id is a `duplicate`, whatever its body. */
  insert(delivery: Delivery): Promise<'stored' | 'duplicate'>;
  /** Deliveries without an outcome, in the order of their arrival. */
  pending(limit: number): Promise<readonly Delivery[]>;
}
