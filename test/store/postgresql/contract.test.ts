import { afterAll, beforeAll } from 'vitest';
import { describeStore } from '../../contract/store.ts';
import { emptyPostgresqlDatabase, makePostgresqlDatabase, openOn, type TestDatabase } from '../../support/databases.ts';

let database: TestDatabase;

beforeAll(async () => {
  database = await makePostgresqlDatabase();
});
afterAll(() => database.remove());

describeStore('PostgreSQL', async (options) => {
  await emptyPostgresqlDatabase(database.databaseUrl);
  return openOn({ databaseUrl: database.databaseUrl, remove: async () => {} }, options);
});
