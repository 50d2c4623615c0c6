/** Everything that a message is rendered from, read when it is sent. */
import type { OutcomeView } from '../../engine/ports.ts';
import type { Database } from '../database.ts';
import type { OutboxItem, Prisma } from '../generated/sqlite/client.ts';
import { readInPortions } from '../many-rows.ts';
import { fromEpisodeRow } from '../rows/episode.ts';
import { fromLineRow, fromOutboxRow } from '../rows/outbox-item.ts';
import { fromRepositoryRow } from '../rows/repository.ts';
import { fromRunRow } from '../rows/run.ts';
import { fromTaskRow } from '../rows/task.ts';

type Which = Pick<Prisma.OutboxItemFindManyArgs, 'where' | 'orderBy' | 'take'>;

/** Mostly there are none, or they have no lines: then nothing more is asked for. */
export async function viewItems(db: Database, which: Which): Promise<OutcomeView[]> {
  const items = await db.outboxItem.findMany(which);
  const repositoryIds = items.map(({ repositoryId }) => repositoryId);
  const repositories = await readInPortions(repositoryIds, (ids) => db.repository.findMany({ where: idIn(ids) }));
  const lines = await readLines(db, items);
  const episodeIds = items.flatMap(({ key }) => episodeOf(key) ?? []);
  const episodes = await readInPortions(episodeIds, (ids) => db.closeEpisode.findMany({ where: idIn(ids) }));
  const repositoryById = byId(repositories, fromRepositoryRow);
  const episodeById = byId(episodes, fromEpisodeRow);
  return items.map((item) => ({
    item: fromOutboxRow(item),
    repository: repositoryById.get(item.repositoryId)!,
    episode: episodeById.get(episodeOf(item.key) ?? '') ?? null,
    lines: lines.get(item.key) ?? [],
  }));
}

type LineView = OutcomeView['lines'][number];

/** By the keys of their messages, in the order of the tasks. */
async function readLines(db: Database, items: readonly OutboxItem[]): Promise<ReadonlyMap<string, LineView[]>> {
  const keys = items.map(({ key }) => key);
  const lines = await readInPortions(keys, (portion) =>
    db.outboxLine.findMany({
      where: { itemKey: { in: portion } },
      orderBy: [{ task: { position: 'asc' } }, { taskId: 'asc' }],
    }),
  );
  const taskIds = lines.map(({ taskId }) => taskId);
  const runIds = lines.flatMap(({ runId }) => runId ?? []);
  const tasks = byId(await readInPortions(taskIds, (ids) => db.task.findMany({ where: idIn(ids) })), fromTaskRow);
  const runs = byId(await readInPortions(runIds, (ids) => db.run.findMany({ where: idIn(ids) })), fromRunRow);
  const views = new Map<string, LineView[]>(keys.map((key) => [key, []]));
  for (const line of lines) {
    const run = line.runId === null ? null : (runs.get(line.runId) ?? null);
    views.get(line.itemKey)?.push({ line: fromLineRow(line), task: tasks.get(line.taskId)!, run });
  }
  return views;
}

function idIn(ids: string[]): { id: { in: string[] } } {
  return { id: { in: ids } };
}

function byId<Row extends { id: string }, Entity>(rows: readonly Row[], toEntity: (row: Row) => Entity) {
  return new Map(rows.map((row) => [row.id, toEntity(row)]));
}

/** The keys of messages about a close or its reopen name the episode. */
function episodeOf(key: string): string | null {
  return /^(?:close|reopen):(.+)$/.exec(key)?.[1] ?? null;
}
