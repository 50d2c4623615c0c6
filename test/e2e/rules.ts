/** What must hold of everything that happened in a world, whatever its tests were about. */
import type { Run } from '../../src/core/run.ts';
import { isEnded, type Task } from '../../src/core/task.ts';
import type { Page } from '../../src/engine/ports.ts';
import { outcomesOf, type World } from '../support/world.ts';

export { outcomesOf };

export async function brokenRules(world: World): Promise<string[]> {
  const { queries } = world.app().deps.store;
  const tasks: Task[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page: Page<Task> = await queries.tasks({ limit: 100, ...(cursor === undefined ? {} : { cursor }) });
    tasks.push(...page.items);
    cursor = page.next;
  }
  const runs = await queries.runsOfTasks(tasks.map(({ id }) => id));
  const issues = new Set(tasks.flatMap(({ issueNumber }) => issueNumber ?? []));
  return [
    ...tasks.filter(isUnexplained).map(({ key, state }) => `${key} is ${state} without a cause, an actor or a time`),
    ...[...runs.values()].flatMap(overlaps),
    ...[...issues].flatMap((number) => doubledMarkers(outcomesOf(world, number))),
  ];
}

function isUnexplained({ state, cause, actor, finishedAt }: Task): boolean {
  return isEnded(state) && (cause === null || actor === null || finishedAt === null);
}

/** A run's row is made only after the one before was seen gone, unless nothing of it can be known. */
function overlaps(runs: readonly Run[]): string[] {
  return runs.flatMap((run, index) => {
    const before = runs[index - 1];
    const known = before === undefined || (before.goneAt !== null && before.goneAt <= run.createdAt);
    return known ? [] : [`run ${run.number} began before run ${before.number} was seen gone`];
  });
}

function doubledMarkers(bodies: readonly string[]): string[] {
  const markers = bodies.map((body) => body.slice(0, body.indexOf('-->')));
  return markers.filter((marker, index) => markers.indexOf(marker) !== index);
}
