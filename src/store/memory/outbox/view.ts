/** Everything that a message is rendered from, as it is when it is sent. */
import type { OutboxItem, OutcomeView } from '../../../engine/ports.ts';
import type { Tables } from '../database.ts';
import { sortBy } from '../sort.ts';

export function viewItem(tables: Tables, item: OutboxItem): OutcomeView {
  const lines = [...tables.lines.values()]
    .filter(({ itemKey }) => itemKey === item.key)
    // A line's task and run were there when it was written, and rows are never removed.
    .map(({ line }) => ({
      line,
      task: tables.tasks.get(line.taskId)!,
      run: tables.runs.get(line.runId ?? '') ?? null,
    }));
  return structuredClone({
    item,
    repository: tables.repositories.get(item.repositoryId)!,
    episode: tables.episodes.get(episodeOf(item.key)) ?? null,
    lines: sortBy(lines, ({ task }) => [task.position, task.id]),
  });
}

/** The keys of messages about a close or its reopen name the episode. */
function episodeOf(key: string): string {
  return /^(?:close|reopen):(.+)$/.exec(key)?.[1] ?? '';
}
