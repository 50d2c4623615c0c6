/**
 * A pid namespace of the run's own. `work` is the namespace's first process, a small shell: it hands TERM on to all others,
 * and when it is killed the kernel kills all others before it lets it go. So it is alone asked and alone signalled.
 */
import { isAlive, signalExactly, withDescendants } from '../proc.ts';
import type { Level } from './level.ts';

export const pidns: Level = {
  members(run, snapshot) {
    if (run.work === null || !isAlive(run.work, run.boot)) return [];
    // Orphans in the namespace become children of its first process: all of it is below that one.
    return [...withDescendants([run.work.pid], snapshot())];
  },
  term: ({ work, boot }) => work !== null && signalExactly(work, boot, 'SIGTERM'),
  kill({ work, boot }) {
    if (work !== null) signalExactly(work, boot, 'SIGKILL');
  },
};
