/** What is kept, for how long, and how it is taken away. */
export type { KeptDays } from './days.ts';
export { readKeptLog } from './kept-log.ts';
export { prune } from './prune.ts';
