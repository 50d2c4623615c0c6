/** What is paused: the holds of everything, repositories and runners, and the batches on hold. */
import { age } from '../core/report/text.ts';
import type { Client } from './client.ts';
import type { Context } from './context.ts';
import { EXIT, type ExitCode } from './exit.ts';
import { ageOf } from './render-issue.ts';
import { table } from './table.ts';
import { type BatchSummary, batchListView, type HoldView, holdView, pageOf, understand } from './views.ts';

export async function listPauses(context: Context): Promise<ExitCode> {
  const client = context.client();
  const { items: holds } = understand(pageOf(holdView), await client.request('GET', '/holds'));
  const batches = await heldBatches(client);
  const rows = [...holds.map(holdRow), ...batches.map(batchRow)];
  const text = rows.length === 0 ? 'Nothing is paused.\n' : table([['PAUSED', 'FOR', 'BY', 'REASON'], ...rows]);
  context.print({ holds, batches }, text);
  return EXIT.done;
}

/** Only running ones can be held. */
async function heldBatches(client: Client): Promise<BatchSummary[]> {
  const held: BatchSummary[] = [];
  const query = new URLSearchParams({ state: 'running', limit: '100' });
  for (;;) {
    const page = understand(pageOf(batchListView), await client.request('GET', `/batches?${query}`));
    held.push(...page.items.filter(({ hold }) => hold !== null));
    if (page.next === null) return held;
    query.set('cursor', page.next);
  }
}

function holdRow({ scope, repository, runner, reason, actor, age_seconds: seconds }: HoldView): string[] {
  const what = { all: 'everything', repository: repository ?? '?', runner: `runner ${runner}` }[scope];
  return [what, ageOf(seconds), actor, reason ?? ''];
}

function batchRow({ id, name, hold }: BatchSummary): string[] {
  if (hold === null) return [];
  return [`batch ${name} (${id})`, age(new Date(hold.at), new Date()), hold.actor, hold.reason ?? ''];
}
