/** What a batch's state means for whoever waits for it: an exit code, or that it goes on. */
import { EXIT, type ExitCode } from './exit.ts';
import type { BatchSummary } from './views.ts';

/** null: it goes on. To be asked at every look: that it is stuck counts once two looks in a row show it. */
export type Judge = (batch: BatchSummary) => ExitCode | null;

export function makeJudge(): Judge {
  let wasStuck = false;
  return (batch) => {
    // An order that is carried out, or a task that was moved, comes before the batch's own state says so.
    const moves = batch.order?.kind === 'resume' || count(batch, 'running') > 0;
    const stuck = batch.state === 'running' && batch.stuck && !moves;
    const ended = batch.state !== 'running' && !moves && count(batch, 'ready', 'waiting') === 0;
    const confirmed = stuck && wasStuck;
    wasStuck = stuck;
    if (ended) return batch.state === 'completed' ? EXIT.done : EXIT.workFailed;
    if (!confirmed) return null;
    return isStoppedByFailure(batch) ? EXIT.workFailed : EXIT.needsPerson;
  };
}

/** `on_failure: stop` leaves tasks that never start; nobody has to do anything about them. */
function isStoppedByFailure(batch: BatchSummary): boolean {
  return batch.on_failure === 'stop' && count(batch, 'failed') > 0 && count(batch, 'blocked') === 0;
}

function count({ counts }: BatchSummary, ...states: readonly string[]): number {
  return states.reduce((sum, state) => sum + (counts[state] ?? 0), 0);
}
