/** Has status comments tell anew when a runner's silence begins or ends to need a person. */
import type { Deps } from './deps.ts';
import type { Write } from './ports.ts';
import { silenceOf } from './silence.ts';
import { statusWrites } from './transition/parts.ts';

/** To be called after each look at the runners. What an earlier app told is not known: the first call tells of all. */
export function makeSilenceNews(deps: Deps): () => Promise<void> {
  const told = new Map<string, boolean>();
  return async () => {
    const needsPerson = (name: string) => silenceOf(deps, name)?.needsPerson ?? false;
    // A runner that lives in this process is never silent.
    const distant = deps.runners.names().filter((name) => deps.runners.get(name)?.profile.silent !== undefined);
    const changed = distant.filter((name) => told.get(name) !== needsPerson(name));
    if (changed.length === 0) return;
    const now = changed.map((name) => [name, needsPerson(name)] as const);
    await oweStatuses(deps, new Set(changed));
    for (const [name, needs] of now) told.set(name, needs);
  };
}

async function oweStatuses({ store, clock }: Deps, runners: ReadonlySet<string>): Promise<void> {
  const concerned = (await store.liveRuns()).filter(({ runner }) => runners.has(runner));
  const owed: Write[] = [];
  for (const { taskId } of concerned) {
    const task = await store.task(taskId);
    if (task !== null) owed.push(...statusWrites(task, clock()));
  }
  for (const batchId of new Set(concerned.map((run) => run.batchId))) {
    const batch = batchId === null ? null : await store.batch(batchId);
    if (batch !== null) owed.push(...statusWrites(batch, clock()));
  }
  if (owed.length > 0) await store.commit(owed);
}
