/**
 * Follows a batch by the journal, from an event that was seen to its end or to where only a person can help. Each event is
 * told once: an app that goes away is waited for, and read on after the last event that was seen.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Context } from '../context.ts';
import type { ExitCode } from '../exit.ts';
import { untilInterrupted } from '../interrupt.ts';
import { makePatience } from '../patience.ts';
import { makeJudge } from '../verdict.ts';
import type { BatchView } from '../views.ts';
import { DEFAULT_POLL_MS, look, refuseBeyond } from '../wait.ts';
import { PAGE_SIZE, readJournal } from './journal.ts';
import { makePace } from './pace.ts';
import { makeView } from './view.ts';

export interface Followed {
  id: string;
  /** The last event that was seen; null: none. */
  after: string | null;
  /** In ms since 1970; null: none. */
  deadline: number | null;
}

interface Ending {
  batch: BatchView;
  exitCode: ExitCode;
}

export async function followBatch(context: Context, followed: Followed): Promise<ExitCode> {
  const { id } = followed;
  return untilInterrupted(context, { id, looking: 'following' }, (signal) => follow(context, followed, signal));
}

async function follow(context: Context, { id, after, deadline }: Followed, signal: AbortSignal): Promise<ExitCode> {
  const client = context.client(signal);
  const view = makeView(context);
  const judge = makeJudge();
  const patience = makePatience();
  const pace = makePace(view.refreshMs);
  let seen = after;
  let ending = null as Ending | null;
  for (;;) {
    const read = await patience.try(async () => {
      if (ending === null && pace.isDue()) ending = await lookAtBatch();
      return readOn();
    });
    if (read === 'some') continue;
    // All that is told of the batch's end was in the journal by then.
    if (ending !== null && read === 'all') {
      view.end(ending.batch);
      return ending.exitCode;
    }
    signal.throwIfAborted();
    view.draw(patience.trouble());
    refuseBeyond(deadline, id);
    await pause(context.pollMs ?? DEFAULT_POLL_MS, undefined, { signal });
  }

  async function lookAtBatch(): Promise<Ending | null> {
    const began = Date.now();
    const batch = await look(client, id);
    pace.looked(Date.now() - began);
    view.batch(batch);
    const exitCode = judge(batch);
    if (exitCode !== null) return { batch, exitCode };
    if (batch.stuck || batch.state !== 'running') pace.hurry();
    return null;
  }

  async function readOn(): Promise<'some' | 'all'> {
    const page = await readJournal(client, seen);
    const events = page.events.filter((event) => event.batch_id === id);
    view.events(events);
    if (events.some(({ type }) => view.showsTasks || type.startsWith('BATCH_'))) pace.hurry();
    seen = page.next;
    return page.events.length === PAGE_SIZE ? 'some' : 'all';
  }
}
