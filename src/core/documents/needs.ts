/**
 * What is wrong between the tasks of a batch: needs that are unknown, doubled, the task itself, or in a circle. It reads
 * the raw mapping, so that these are told together with the mistakes of shape.
 */
import { asMapping } from './check.ts';
import { type Finding, listed } from './problem.ts';

type NeedsByTask = ReadonlyMap<string, readonly string[]>;

/** They stand under `tasks`. */
export function needsFindings(tasks: unknown): Finding[] {
  const needs = readNeeds(tasks);
  return [...wrongNeeds(needs), ...cycles(needs).map(cycleFinding)];
}

function readNeeds(tasks: unknown): NeedsByTask {
  return new Map(
    Object.entries(asMapping(tasks) ?? {}).map(([key, task]) => {
      const needs = asMapping(task)?.needs;
      // Items keep their place, so that a problem's path names the right one.
      return [key, Array.isArray(needs) ? needs.map((need) => (typeof need === 'string' ? need : '')) : []];
    }),
  );
}

function wrongNeeds(tasks: NeedsByTask): Finding[] {
  const known = listed([...tasks.keys()]);
  return [...tasks].flatMap(([key, needs]) => {
    const seen = new Set<string>();
    return needs.flatMap((need, index) => {
      const doubled = seen.has(need);
      seen.add(need);
      const message = wrongNeed({ key, need, doubled, tasks, known });
      return message === null || need === '' ? [] : [{ keys: ['tasks', key, 'needs', index], message }];
    });
  });
}

function wrongNeed(at: { key: string; need: string; doubled: boolean; tasks: NeedsByTask; known: string }) {
  if (at.need === at.key) return 'a task cannot need itself';
  if (!at.tasks.has(at.need))
    return `no task ${JSON.stringify(at.need.slice(0, 100))} in this batch; it has: ${at.known}`;
  return at.doubled ? `${JSON.stringify(at.need)} is given twice` : null;
}

function cycleFinding(cycle: readonly string[]): Finding {
  return { keys: ['tasks', cycle[0]!, 'needs'], message: `needs in a circle: ${cycle.join(' → ')}` };
}

/** Each as the path that closes it, `[a, b, a]`. A task that merely leads into a circle is in none. */
function cycles(tasks: NeedsByTask): string[][] {
  const stuck = unorderable(tasks);
  const visited = new Set<string>();
  const found: string[][] = [];
  for (const start of stuck.keys()) {
    const trail: string[] = [];
    let at: string | undefined = start;
    while (at !== undefined && !visited.has(at)) {
      visited.add(at);
      trail.push(at);
      at = stuck.get(at)?.[0];
    }
    const entry = at === undefined ? -1 : trail.indexOf(at);
    if (entry >= 0) found.push([...trail.slice(entry), at!]);
  }
  return found;
}

/** Tasks that no order can reach, with those of their needs that can't be reached either: each has at least one. */
function unorderable(tasks: NeedsByTask): Map<string, string[]> {
  const open = new Map([...tasks].map(([key, needs]) => [key, needs.filter((n) => n !== key && tasks.has(n)).length]));
  const dependants = dependantsOf(tasks);
  const ready = [...open].filter(([, count]) => count === 0).map(([key]) => key);
  for (let key = ready.pop(); key !== undefined; key = ready.pop()) {
    open.delete(key);
    for (const dependant of dependants.get(key) ?? []) {
      const left = open.get(dependant)! - 1;
      open.set(dependant, left);
      if (left === 0) ready.push(dependant);
    }
  }
  return new Map([...open.keys()].map((key) => [key, tasks.get(key)!.filter((n) => n !== key && open.has(n))]));
}

function dependantsOf(tasks: NeedsByTask): Map<string, string[]> {
  const dependants = new Map<string, string[]>([...tasks.keys()].map((key) => [key, []]));
  for (const [key, needs] of tasks) {
    for (const need of needs) if (need !== key) dependants.get(need)?.push(key);
  }
  return dependants;
}
