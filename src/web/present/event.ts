/** The journal, as REST shows it. */
import type { JournalEvent } from '../../engine/ports.ts';
import type { EventView } from '../schemas/event.ts';
import { fullName, type Repositories, time } from './shared.ts';

export function presentEvent(event: JournalEvent & { id: string }, repositories: Repositories): EventView {
  return {
    id: event.id,
    type: event.type,
    at: time(event.at),
    repository: event.repositoryId === null ? null : fullName(event.repositoryId, repositories),
    issue: event.issueNumber,
    batch_id: event.batchId,
    task_id: event.taskId,
    run_id: event.runId,
    data: event.data,
  };
}
