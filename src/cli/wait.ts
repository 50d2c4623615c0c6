/** Waits for a batch's end, or for where only a person can help. A restart of the app meanwhile is sat out. */
import { setTimeout as pause } from 'node:timers/promises';
import { type Client, segment } from './client.ts';
import type { Context } from './context.ts';
import { CliError, EXIT, type ExitCode } from './exit.ts';
import { untilInterrupted } from './interrupt.ts';
import { makePatience } from './patience.ts';
import { makeJudge } from './verdict.ts';
import { type BatchView, batchView, understand } from './views.ts';

export const DEFAULT_POLL_MS = 1000;

interface Ended {
  batch: BatchView;
  exitCode: ExitCode;
}

/** `deadline` in ms since 1970; null: none. */
export async function waitForBatch(context: Context, id: string, deadline: number | null): Promise<Ended> {
  return untilInterrupted(context, { id, looking: 'waiting for' }, (signal) => wait(context, { id, deadline }, signal));
}

async function wait(
  context: Context,
  { id, deadline }: { id: string; deadline: number | null },
  signal: AbortSignal,
): Promise<Ended> {
  const client = context.client(signal);
  const told = new Map<string, string>();
  const judge = makeJudge();
  const patience = makePatience();
  for (;;) {
    const batch = await patience.try(() => look(client, id));
    if (batch !== null) {
      tellChanges(context, batch, told);
      const exitCode = judge(batch);
      if (exitCode !== null) return { batch, exitCode };
    }
    signal.throwIfAborted();
    refuseBeyond(deadline, id);
    await pause(context.pollMs ?? DEFAULT_POLL_MS, undefined, { signal });
  }
}

export async function look(client: Client, id: string): Promise<BatchView> {
  return understand(batchView, await client.request('GET', `/batches/${segment(id)}`));
}

export function refuseBeyond(deadline: number | null, id: string): void {
  if (deadline === null || Date.now() < deadline) return;
  throw new CliError(EXIT.deadline, 'deadline', `the batch ${id} has not ended in time; it goes on`);
}

function tellChanges(context: Context, batch: BatchView, told: Map<string, string>): void {
  for (const { id, key, state } of batch.tasks) {
    const before = told.get(id);
    if (before !== state) context.tell(`${key}: ${before === undefined ? '' : `${before} → `}${state}`);
    told.set(id, state);
  }
}
