import { describeStore } from '../contract/store.ts';
import { openTestStore } from '../support/databases.ts';

describeStore('SQLite', openTestStore);
