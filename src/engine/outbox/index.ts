export { sendOwed } from './send-owed.ts';
export { makeSender, type Sender } from './sender.ts';
