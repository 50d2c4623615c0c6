/** Attended runs, as REST shows them to whoever attends. */
import { LEASE_MS } from '../../core/attended.ts';
import type { AttendedNews, ClaimResult } from '../../engine/attend/index.ts';
import type { AttendedNewsView, AttendedView } from '../schemas/attended.ts';

export function presentAttended({ run, graceSeconds, env }: Extract<ClaimResult, { result: 'claimed' }>): AttendedView {
  const { id, number } = run;
  return { run_id: id, number, grace_seconds: graceSeconds, lease_seconds: LEASE_MS / 1_000, env: { ...env } };
}

export function presentNews(news: AttendedNews): AttendedNewsView {
  if (news.state === 'running') return { state: 'running', signal: null, grace_seconds: null, why: null };
  const { state, graceSeconds, why } = news;
  return { state, signal: news.state === 'stopping' ? news.signal : null, grace_seconds: graceSeconds, why };
}
