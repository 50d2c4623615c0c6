/** What is known of attended runs. */
import type { Write } from '../../../engine/ports.ts';
import type { Tables } from '../database.ts';
import { guard, insist } from './guard.ts';

type Of<Name extends Write['write']> = Extract<Write, { write: Name }>;

export function insertAttended(tables: Tables, { attended }: Of<'attended.insert'>): void {
  const { runId, session } = attended;
  guard(!tables.attended.has(runId) && ![...tables.attended.values()].some((known) => known.session === session));
  insist(tables.runs.has(runId), `no run ${runId}`);
  tables.put(tables.attended, runId, attended);
}

export function updateAttended(tables: Tables, { runId, session, from, set }: Of<'attended.update'>): void {
  const known = tables.attended.get(runId);
  guard(known !== undefined && known.session === session && known.end === null);
  guard(from === undefined || from.includes(known.phase));
  tables.put(tables.attended, runId, { ...known, ...set });
}

export function deleteAttended(tables: Tables, { runId }: Of<'attended.delete'>): void {
  guard(tables.attended.has(runId));
  tables.remove(tables.attended, runId);
}
