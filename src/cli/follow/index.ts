export { followBatch } from './follow.ts';
export { journalEnd } from './journal.ts';
