/** What could not be told while a repository was out of reach, and is still true: how the tasks of its issues are. */
import { isEnded, type Task } from '../../core/task.ts';
import type { Deps } from '../deps.ts';
import type { Write } from '../ports.ts';
import { statusWrites } from '../transition/parts.ts';

const PAGE = 100;
/** The newest; what is older moves on by itself, or nobody follows it any more. */
const MOST_TASKS = 1_000;

/** Of issues with tasks that are unfinished, or have ended since then. */
export async function statusOfIssues({ store, clock }: Deps, repositoryId: string, since: Date): Promise<Write[]> {
  const issues = new Map<number, Task>();
  const unfinished = await store.unfinishedTasks(repositoryId, MOST_TASKS);
  for (const task of [...unfinished, ...(await newestTasks(store, repositoryId))]) {
    const isNews = !isEnded(task.state) || (task.finishedAt !== null && task.finishedAt >= since);
    if (isNews && task.issueNumber !== null) issues.set(task.issueNumber, task);
  }
  return [...issues.values()].flatMap((task) => statusWrites(task, clock()));
}

async function newestTasks({ queries }: Deps['store'], repositoryId: string): Promise<readonly Task[]> {
  const tasks: Task[] = [];
  let cursor: string | null = null;
  do {
    const page = await queries.tasks({ repositoryId, limit: PAGE, ...(cursor === null ? {} : { cursor }) });
    tasks.push(...page.items);
    cursor = page.next;
  } while (cursor !== null && tasks.length < MOST_TASKS);
  return tasks;
}
