/**
 * From stored deliveries to keys: each is interpreted, judged against what is known, and settled in one transaction with
 * the work that it asks for. A payload that lacks what its event promises is counted and stops nothing.
 */
import { keepBlockersNews } from '../core/blockers/news.ts';
import type { IssueRef, IssueSnapshot, TrackedIssue } from '../core/issue.ts';
import { judgeHint } from '../core/judge.ts';
import { accessWrites } from './access/index.ts';
import { takeIn } from './commands/take-in.ts';
import type { Deps } from './deps.ts';
import { fileKey, issueKey } from './keys.ts';
import type { Delivery, DeliveryOutcome, Hint, Write } from './ports.ts';
import { reasonNews } from './read-issue.ts';

const AT_ONCE = 100;

type IssueHint = Extract<Hint, { kind: 'issue' }>;

/** Returns how many were settled. */
export async function processDeliveries(deps: Deps): Promise<number> {
  let settled = 0;
  for (;;) {
    const pending = await deps.store.inbox.pending(AT_ONCE);
    const hints = pending.map((delivery) => ({ delivery, hint: interpret(deps, delivery) }));
    const perIssue = new Map<string, number>();
    for (const { hint } of hints) {
      if (hint.kind === 'issue') perIssue.set(issueKey(hint.ref), (perIssue.get(issueKey(hint.ref)) ?? 0) + 1);
    }
    for (const { delivery, hint } of hints) {
      const crowded = hint.kind === 'issue' && (perIssue.get(issueKey(hint.ref)) ?? 0) > 1;
      await settleAnyhow(deps, delivery, hint, crowded);
    }
    settled += pending.length;
    if (pending.length < AT_ONCE) return settled;
  }
}

/** What a payload says may not be storable. Then it only says where to look, so that it keeps none behind it waiting. */
async function settleAnyhow(deps: Deps, delivery: Delivery, hint: Hint, crowded: boolean): Promise<void> {
  try {
    await settle(deps, delivery, hint, crowded);
  } catch (error) {
    deps.log.warn({ delivery: delivery.id, event: delivery.event, err: error }, 'payload not kept');
    if (hint.kind !== 'comment') return settle(deps, delivery, hint, true);
    // A command is not given up because the database failed, and one that no database keeps is nobody's.
    await deps.store.check();
    await settle(deps, delivery, hint, true).catch(() => settle(deps, delivery, { kind: 'ignored' }, true));
  }
}

function interpret({ interpret, log }: Deps, delivery: Delivery): Hint {
  let hint: Hint;
  try {
    hint = interpret(delivery.event, JSON.parse(delivery.payload));
  } catch (error) {
    hint = { kind: 'malformed', problem: error instanceof Error ? error.message : 'not readable' };
  }
  if (hint.kind === 'malformed') {
    log.warn({ delivery: delivery.id, event: delivery.event, problem: hint.problem }, 'delivery malformed');
  }
  return hint;
}

async function settle(deps: Deps, delivery: Delivery, hint: Hint, crowded: boolean): Promise<void> {
  for (let attempt = 0; attempt < 5; attempt++) {
    const writes = await writesOf(deps, hint, crowded);
    const outcome: DeliveryOutcome =
      writes !== null ? 'processed' : hint.kind === 'malformed' ? 'malformed' : 'ignored';
    const done: Write = { write: 'delivery.settle', id: delivery.id, outcome, at: deps.clock() };
    // The delivery itself is kept: until it is settled on the disk it is there to be read again.
    if (await deps.store.commit([...(writes ?? []), done], { derived: true })) return;
  }
}

/** null: nothing here is about its issue. */
async function writesOf(deps: Deps, hint: Hint, crowded: boolean): Promise<Write[] | null> {
  switch (hint.kind) {
    case 'issue':
      return issueWrites(deps, hint, crowded);
    case 'blockers':
      return blockersWrites(deps, hint);
    case 'comment':
      return someOrNull(await takeIn(deps, hint, 'webhook'));
    case 'access':
      return accessWrites(deps, hint);
    case 'file':
      return fileWrites(deps, hint);
    default:
      return null;
  }
}

function someOrNull(writes: readonly Write[]): Write[] | null {
  return writes.length === 0 ? null : [...writes];
}

/** null: nothing here was ever of this repository. */
async function fileWrites({ store, clock }: Deps, { repository }: Extract<Hint, { kind: 'file' }>) {
  if ((await store.repository(repository.id)) === null) return null;
  return [{ write: 'work.enqueue' as const, key: fileKey(repository.id), dueAt: clock() }];
}

/** The count that is known is old by this, and a newer one may come late. */
async function blockersWrites(deps: Deps, { ref }: Extract<Hint, { kind: 'blockers' }>): Promise<Write[] | null> {
  const known = await deps.store.issue(ref);
  if (known === null) return null;
  const set = { blockersDue: true, blockedByCount: null };
  return [{ write: 'issue.update', ref, version: known.version, set }, look(ref, deps.clock())];
}

/** null: no task was ever linked to this issue, none waits for it, and nothing was ever to be said on it. */
async function issueWrites(deps: Deps, hint: IssueHint, crowded: boolean): Promise<Write[] | null> {
  const { action, ref, issue } = hint;
  // What it tells is judged by this time, and no newer, however long all of this takes.
  const now = deps.clock();
  const known = await deps.store.issue(ref);
  if (known === null) return null;
  const offset = deps.github?.clockOffsetMs() ?? null;
  const githubNow = offset === null ? null : new Date(now.getTime() + offset);
  const judged = judgeHint({ action, issue, known, crowded, githubNow });
  const moved = crowded || issue.updatedAt < known.updatedAt ? [] : await repositoryNews(deps, hint);
  // Tried once too early, what waits for it only waits on.
  const unlocked = action === 'unlocked' || (judged === 'accept' && known.locked && !issue.locked);
  const unlock: Write[] = unlocked ? [{ write: 'outbox.unlock', ref, dueAt: deps.clock() }] : [];
  if (judged === 'nothing_new' && !tellsOfBlockers(known, issue)) return [...moved, ...unlock];
  const set =
    judged === 'accept'
      ? { ...issue, ...keepBlockersNews(known, issue), readDue: false, observedAt: now }
      : { readDue: true };
  const update: Write = { write: 'issue.update', ref, version: known.version, set };
  const reason = judged === 'accept' ? reasonNews(known, issue, deps.clock()) : [];
  return [...moved, ...unlock, update, ...reason, look(ref, deps.clock())];
}

/** Another text of the issue, or another count of what blocks it; which of the two is newer, live state tells. */
function tellsOfBlockers(known: TrackedIssue, issue: IssueSnapshot): boolean {
  return keepBlockersNews({ ...known, blockersDue: false }, issue).blockersDue;
}

/** A repository may be renamed, and an App installed anew: what reads and comments are made with is then another. */
async function repositoryNews({ store }: Deps, { repository }: IssueHint): Promise<Write[]> {
  const known = await store.repository(repository.id);
  if (known === null || repository.installationId === null) return [];
  const same = known.fullName === repository.fullName && known.installationId === repository.installationId;
  return same ? [] : [{ write: 'repository.put', repository }];
}

function look(ref: IssueRef, dueAt: Date): Write {
  return { write: 'work.enqueue', key: issueKey(ref), dueAt };
}
