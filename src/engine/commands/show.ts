/** What only looks: how tasks are, and the end of a run's output. */
import type { CommandOutcome } from '../../core/comment.ts';
import type { Deps } from '../deps.ts';
import { readKeptLog } from '../retention/index.ts';
import { fixTasks } from './act-on-tasks.ts';
import { type InHand, type Next, refused, settle } from './in-hand.ts';
import type { Right } from './rights.ts';

/** Asked for in bytes; then as many characters as fit into one comment, however many of its commands ask for output. */
const LOG_BYTES = 65_536;
const LOG_CHARACTERS = 60_000;

export async function showStatus(deps: Deps, hand: InHand, index: number, right: Right): Next {
  const said = hand.comment.commands[index]?.said;
  const isNamed = said?.verb === 'status' && said.of === 'task' && said.task !== null;
  const fixed = isNamed ? await fixTasks(deps, hand, index, right) : hand;
  if (fixed === null || isSettled(fixed, index)) return fixed;
  return settle(deps, fixed, index, { result: 'status' });
}

export async function showLog(deps: Deps, hand: InHand, index: number, right: Right): Next {
  const fixed = await fixTasks(deps, hand, index, right);
  if (fixed === null || isSettled(fixed, index)) return fixed;
  const [task] = fixed.comment.commands[index]?.tasks ?? [];
  const asking = fixed.comment.commands.filter(({ said }) => said.verb === 'logs').length;
  const most = Math.floor(LOG_CHARACTERS / Math.max(1, asking));
  return settle(deps, fixed, index, await logOf(deps, task?.taskId ?? '', most));
}

function isSettled({ comment }: InHand, index: number): boolean {
  return comment.commands[index]?.outcome !== null;
}

async function logOf(deps: Deps, taskId: string, most: number): Promise<CommandOutcome> {
  const { store, runners, log } = deps;
  const task = await store.task(taskId);
  if (task === null) return refused('other', 'there is no such task any more');
  const { key } = task;
  const run = await store.newestRun(taskId);
  if (run === null) return refused('other', `${key} has not run yet`);
  const runner = runners.get(run.runner);
  if (runner === null) return refused('other', `its runner ${run.runner} is not configured here`);
  try {
    const kept = await readKeptLog(deps, runner, run, LOG_BYTES);
    if ('gone' in kept) return refused('other', `the log of ${key} ${kept.gone}`);
    const text = storable(kept.text.slice(-most));
    return { result: 'log', taskId, key, run: run.number, text };
  } catch (error) {
    // Whatever it is, it is the runner's own.
    log.warn({ task: taskId, run: run.id, runner: run.runner, err: error }, 'log not read');
    return refused('other', `its runner ${run.runner} gives no answer: try again`);
  }
}

/** No database keeps a NUL, nor half of a character that the cut may have left. */
function storable(text: string): string {
  return Buffer.from(text.replaceAll('\0', '\uFFFD')).toString();
}
