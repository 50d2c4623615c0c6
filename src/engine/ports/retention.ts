/** What is kept for a time only. Each call takes away at most `limit` rows, the oldest first, and tells how many: so that no call lasts long. */
export interface Retention {
  /** Settled deliveries that came before then. */
  deliveries(before: Date, limit: number): Promise<number>;
  /** Missed deliveries that GitHub tried before then, whatever became of them. */
  missed(before: Date, limit: number): Promise<number>;
  /** Events before then; of issues, batches and tasks with unfinished tasks none. */
  events(before: Date, limit: number): Promise<number>;
  /** Comments that were made before then and are answered: the reply, if there is one, is out, and what it tells of is over. */
  comments(before: Date, limit: number): Promise<number>;
}
