// A database that tracks every issue of a stand-in GitHub. The product itself makes the first task and reads its issue; the others
// are copies of these rows, because to submit a hundred thousand would take longer than what is measured.
import BetterSqlite3 from 'better-sqlite3';
import { act, DEFAULT_POLICY, parseBatchDocument, submitBatch } from '../../dist/engine/index.js';
import { openStore } from '../../dist/store/index.js';
import { makeDeps, makeReader } from './engine-deps.mjs';
import { SILENT } from './silent.mjs';

/** @param github the process `github` */
export async function makeTrackedDatabase(file, github) {
  const repositories = await github.ask('repositories');
  await trackFirst(file, makeReader(await github.ask('access')), repositories);
  const database = new BetterSqlite3(file);
  try {
    const models = {
      task: database.prepare('SELECT * FROM tasks').get(),
      issue: database.prepare('SELECT * FROM issues').get(),
    };
    database.exec('DELETE FROM tasks; DELETE FROM issues; DELETE FROM batches; DELETE FROM work_keys');
    for (const repository of repositories) {
      const nodeIds = await github.ask('nodeIdsOf', repository.fullName);
      database.transaction(() => trackAll(database, models, repository, nodeIds))();
    }
    database.pragma('wal_checkpoint(TRUNCATE)');
  } finally {
    database.close();
  }
}

/** It waits for a person's answer, so that it never starts; a close ends it all the same. */
async function trackFirst(file, github, repositories) {
  const store = await openStore({ databaseUrl: `file:${file}`, now: () => new Date(), log: SILENT });
  try {
    const deps = makeDeps({ store, github, policyOf: async () => DEFAULT_POLICY });
    await store.commit(repositories.map((repository) => ({ write: 'repository.put', repository })));
    // As of repositories that are followed for long.
    const to = new Date(Date.now() - 3_600_000);
    const since = repositories.map(({ id }) => ({ write: 'comments.since', repositoryId: id, from: null, to }));
    await store.commit(since);
    const tasks = { first: { issue: 1, runs_on: 'local', run: ['true'] } };
    const document = { repository: repositories[0].fullName, name: 'work', tasks };
    const submitted = await submitBatch(deps, parseBatchDocument(document).value, { dryRun: false, actor: 'ann' });
    const said = { actor: 'ann', cause: 'api', text: 'which data?' };
    const { result } = await act(deps, submitted.tasks[0].id, 'block', said);
    if (result !== 'accepted') throw new Error(`the first task could not be blocked: ${result}`);
  } finally {
    await store.close();
  }
}

export function taskIdOf(repositoryId, number) {
  return `task_${repositoryId}_${number}`;
}

function trackAll(database, { task, issue }, repository, nodeIds) {
  const insertTask = inserter(database, 'tasks', task);
  const insertIssue = inserter(database, 'issues', issue);
  const ofRepository = { repository_id: repository.id };
  nodeIds.forEach((nodeId, i) => {
    const number = i + 1;
    const id = taskIdOf(repository.id, number);
    insertIssue({ ...ofRepository, number, node_id: nodeId });
    insertTask({ ...ofRepository, id, key: `task-${number}`, issue_number: number, batch_id: null });
  });
}

function inserter(database, table, model) {
  const columns = Object.keys(model);
  const values = columns.map((column) => `@${column}`);
  const statement = database.prepare(`INSERT INTO ${table} (${columns.join(', ')}) VALUES (${values.join(', ')})`);
  return (own) => statement.run({ ...model, ...own });
}
