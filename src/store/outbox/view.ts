/** Everything that a message is rendered from, read when it is sent. */
import type { OutcomeView } from '../../engine/ports.ts';
import type { Database } from '../database.ts';
import type { Prisma } from '../generated/sqlite/client.ts';
import { fromEpisodeRow } from '../rows/episode.ts';
import { fromLineRow, fromOutboxRow } from '../rows/outbox-item.ts';
import { fromRepositoryRow } from '../rows/repository.ts';
import { fromRunRow } from '../rows/run.ts';
import { fromTaskRow } from '../rows/task.ts';

type Which = Pick<Prisma.OutboxItemFindManyArgs, 'where' | 'orderBy' | 'take'>;

export async function viewItems(db: Database, which: Which): Promise<OutcomeView[]> {
  const rows = await db.outboxItem.findMany({
    ...which,
    include: {
      repository: true,
      lines: { include: { task: true, run: true }, orderBy: [{ task: { position: 'asc' } }, { taskId: 'asc' }] },
    },
  });
  const ids = rows.flatMap(({ key }) => episodeOf(key) ?? []);
  const episodes = ids.length === 0 ? [] : await db.closeEpisode.findMany({ where: { id: { in: ids } } });
  const byId = new Map(episodes.map((row) => [row.id, fromEpisodeRow(row)]));
  return rows.map(({ repository, lines, ...item }) => ({
    item: fromOutboxRow(item),
    repository: fromRepositoryRow(repository),
    episode: byId.get(episodeOf(item.key) ?? '') ?? null,
    lines: lines.map(({ task, run, ...line }) => ({
      line: fromLineRow(line),
      task: fromTaskRow(task),
      run: run && fromRunRow(run),
    })),
  }));
}

/** The keys of messages about a close or its reopen name the episode. */
function episodeOf(key: string): string | null {
  return /^(?:close|reopen):(.+)$/.exec(key)?.[1] ?? null;
}
