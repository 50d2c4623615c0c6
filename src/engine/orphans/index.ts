/** What runners have alive that nobody wants alive: what is ours is ended, the rest is shown. */
import { isPursued } from '../../core/plan/orphan.ts';
import type { Deps } from '../deps.ts';
import { orphanKey } from '../keys.ts';
import { runnersHere } from '../runners-here.ts';
import { endOrphan } from './end.ts';
import { findLeftovers } from './find.ts';

/** Of one runner, as of the last look that it answered. */
export interface LeftoversSeen {
  orphans: readonly { runId: string; since: Date }[];
  strangers: readonly string[];
}

export interface OrphanWatch {
  /** Asks all runners. Their trouble is their own. */
  look(): Promise<void>;
  /** Does what is next about one run. */
  pursue(runId: string): Promise<void>;
  seen(): ReadonlyMap<string, LeftoversSeen>;
}

export function makeOrphanWatch(deps: Deps): OrphanWatch {
  const { store, runners, clock, log } = deps;
  const over = new Map<string, Set<string>>();
  const seen = new Map<string, LeftoversSeen>();

  async function lookAt(name: string): Promise<void> {
    const runner = runners.get(name);
    if (runner === null) return;
    const known = over.get(name) ?? new Set();
    over.set(name, known);
    try {
      const { orphans, ended, strangers } = await findLeftovers(deps, { name, runner, over: known });
      const now = clock();
      const shown = orphans.map((run) => ({ runId: run.id, since: (isPursued(run) ? run.termAt : null) ?? now }));
      seen.set(name, { orphans: shown, strangers });
      await store.queue.enqueue([...orphans, ...ended].map(({ id }) => ({ key: orphanKey(id), dueAt: now })));
    } catch (error) {
      log.warn({ runner: name, err: error }, 'runner unreachable');
    }
  }

  return {
    async look() {
      await Promise.all(runnersHere(runners).map(lookAt));
    },
    async pursue(runId) {
      if (!(await endOrphan(deps, runId))) return;
      for (const [name, { orphans, strangers }] of seen) {
        seen.set(name, { orphans: orphans.filter((orphan) => orphan.runId !== runId), strangers });
      }
    },
    seen: () => seen,
  };
}
