/** Which tasks a command means: those of its issue, or the one that it names. What came after it was said is never meant. */
import { isEnded, type Task } from '../../core/task.ts';
import type { Deps } from '../deps.ts';
import type { InHand } from './in-hand.ts';

export type Found =
  | { found: readonly Task[] }
  /** Several, where one is to be named. */
  | { several: readonly Task[] }
  /** Why not, with what there is. */
  | { none: string };

/** A key is looked for in the newest batches and tasks of the repository; an id is found in all of it. */
const NEWEST_BATCHES = 20;
const NEWEST_TASKS = 100;
/** More than a reply can use. */
const MAX_NAMED = 10;

export async function tasksOfIssue({ store }: Deps, { comment, saidAt }: InHand): Promise<readonly Task[]> {
  const { repositoryId, number } = comment;
  return (await store.tasksOfIssue({ repositoryId, number })).filter(({ createdAt }) => createdAt <= saidAt);
}

/** By key or id, in the comment's own repository alone: on its issue first. */
export async function findNamed(deps: Deps, hand: InHand, word: string): Promise<Found> {
  const here = await tasksOfIssue(deps, hand);
  const onIssue = here.filter(({ key }) => key === word);
  const candidates = onIssue.length > 0 ? onIssue : await elsewhere(deps, hand, word);
  if (candidates.length === 0) return { none: `no task of this repository is called ${word}; ${whatThereIs(here)}` };
  return oneOf(await newestOfEach(deps, preferred(candidates)));
}

export function oneOf(tasks: readonly Task[]): Found {
  return tasks.length > 1 ? { several: tasks } : { found: tasks };
}

/** In plain words; for a refusal. */
export function whatThereIs(tasks: readonly Task[]): string {
  if (tasks.length === 0) return 'this issue has no task';
  const named = tasks.slice(0, MAX_NAMED).map(({ key, state }) => `${key} (${state})`);
  const more = tasks.length - named.length;
  return `this issue has ${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** Of each batch name, and of what belongs to no batch, the newest task of each key: what an older one did is history. */
export async function newestOfEach({ store }: Deps, tasks: readonly Task[]): Promise<readonly Task[]> {
  const names = new Map<string | null, string>([[null, '']]);
  for (const { batchId } of tasks) {
    if (batchId !== null && !names.has(batchId)) names.set(batchId, (await store.batch(batchId))?.name ?? '');
  }
  const newest = new Map<string, Task>();
  for (const task of tasks.toSorted(byAge)) newest.set(`${names.get(task.batchId)}/${task.key}`, task);
  return [...newest.values()];
}

function byAge(a: Task, b: Task): number {
  return a.createdAt.getTime() - b.createdAt.getTime() || (a.id < b.id ? -1 : 1);
}

function preferred(tasks: readonly Task[]): readonly Task[] {
  const unfinished = tasks.filter(({ state }) => !isEnded(state));
  return unfinished.length > 0 ? unfinished : tasks;
}

async function elsewhere(deps: Deps, { comment, saidAt }: InHand, word: string): Promise<readonly Task[]> {
  const { store } = deps;
  const { repositoryId } = comment;
  const isMeant = (task: Task | null): task is Task =>
    task !== null && task.repositoryId === repositoryId && task.createdAt <= saidAt;
  const byId = await store.task(word);
  if (isMeant(byId)) return [byId];
  const [batches, tasks] = await Promise.all([
    store.queries.batches({ repositoryId, limit: NEWEST_BATCHES }),
    store.queries.tasks({ repositoryId, limit: NEWEST_TASKS }),
  ]);
  const needs = await Promise.all(batches.items.map(({ id }) => store.needsOfBatch(id)));
  const ids = needs.flat().flatMap(({ id, key }) => (key === word ? [id] : []));
  const ofBatches = await Promise.all(ids.map((id) => store.task(id)));
  const alone = tasks.items.filter(({ batchId, key }) => batchId === null && key === word);
  return [...ofBatches, ...alone].filter(isMeant);
}
