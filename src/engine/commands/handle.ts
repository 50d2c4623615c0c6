/**
 * The comments of an issue that are due, in the order in which they were made. Each step is kept in the comment's row under a
 * guard: whatever dies between two of them, the next look goes on where the last one stopped, and two at once do nothing twice.
 */
import type { CommandComment } from '../../core/comment.ts';
import type { IssueRef, TrackedIssue } from '../../core/issue.ts';
import type { Policy } from '../../core/policy.ts';
import type { Deps } from '../deps.ts';
import { commentsKey } from '../keys.ts';
import { GitHubError, type RepositoryRef, type Write } from '../ports.ts';
import { readIssue } from '../read-issue.ts';
import { type FileToStart, fileToStart, noticeWrites, refreshFile } from '../repository-file.ts';
import { carryOut, speakerOf } from './carry-out.ts';
import { fellShort, type InHand, journalled, keep, type Next, refused, settle } from './in-hand.ts';
import { issueOf, judge, type Verdict } from './judge.ts';
import { answer, sign } from './messages.ts';
import { isWorthWaiting, orError } from './patience.ts';
import { reachable } from './reachable.ts';
import { mayNothing, startsWork } from './rights.ts';
import { saidAtOf } from './said-at.ts';
import { seenSign, understood } from './take-in.ts';

/** By then whoever else has a comment in hand is done with it, or has died. */
const LOOK_AGAIN_MS = 1_000;
/** About a minute. */
const FAULT_TRIES = 8;

/** `failures`: how often this look has failed before. Throws `GitHubError` while asking again may help. */
export async function handleComments(deps: Deps, ref: IssueRef, failures = 0): Promise<void> {
  const comments = await deps.store.dueComments(ref);
  if (comments.length === 0) return;
  const repository = await reachable(deps, ref.repositoryId, failures);
  for (const due of comments) {
    const isOver = repository === null ? await ignore(deps, due) : await handle(deps, due, { repository, failures });
    if (isOver) continue;
    // Those behind it have to wait for it, and whoever has it in hand may die.
    const dueAt = new Date(deps.clock().getTime() + LOOK_AGAIN_MS);
    await deps.store.queue.enqueue([{ key: commentsKey(ref), dueAt }]);
    return;
  }
}

interface Round {
  repository: RepositoryRef;
  failures: number;
}

/** Here and below: false: another one has it in hand. */
async function handle(deps: Deps, due: CommandComment, round: Round): Promise<boolean> {
  const comment = await parsed(deps, due, round);
  if (comment?.state !== 'due') return comment !== null;
  if (comment.permission !== null || comment.commands.every(({ outcome }) => outcome !== null)) {
    return goOn(deps, comment, round);
  }
  const verdict = await judge(deps, { comment, repository: round.repository }, round.failures);
  const judged = await keepVerdict(deps, comment, verdict);
  return judged?.state === 'due' ? goOn(deps, judged, round) : judged !== null;
}

async function ignore(deps: Deps, comment: CommandComment): Promise<boolean> {
  return (await keep(deps, comment, { state: 'ignored' })) !== null;
}

async function parsed(deps: Deps, comment: CommandComment, round: Round): Promise<CommandComment | null> {
  if (comment.commands.length > 0) return comment;
  const said = await understoodNow(deps, comment, round);
  if (said.commands.length === 0) return keep(deps, comment, { state: 'ignored' });
  return keep(deps, comment, said, [seenSign(comment)]);
}

/** By the prefix of the repository's file, once it was read; where it can't be, what is one without any prefix counts. */
async function understoodNow(deps: Deps, { body, repositoryId }: CommandComment, { repository, failures }: Round) {
  const refreshed = await refreshFile(deps, repository);
  const said = understood(body, (await deps.policyOf(repositoryId)).commandPrefix);
  const error = refreshed.result === 'unread' ? refreshed.error : null;
  if (said.commands.length === 0 && error !== null && isWorthWaiting(error, failures)) throw error;
  return said;
}

async function keepVerdict(deps: Deps, comment: CommandComment, verdict: Verdict): Promise<CommandComment | null> {
  switch (verdict.verdict) {
    case 'ignored':
      return keep(deps, comment, { state: 'ignored' });
    case 'heard':
      return keep(deps, comment, { permission: verdict.permission });
    case 'refused': {
      const outcome = refused(verdict.why, verdict.words);
      const { permission } = verdict;
      const commands = comment.commands.map((command) => ({ ...command, outcome }));
      const now = deps.clock();
      const told = commands.flatMap((_, index) => journalled({ ...comment, commands }, permission, index, now));
      return keep(deps, comment, { commands, permission }, told);
    }
  }
}

async function goOn(deps: Deps, comment: CommandComment, { repository, failures }: Round): Promise<boolean> {
  const { permission } = comment;
  // Nobody could tell who may hear of it; that it was not done, its author has to know.
  if (permission === null) return finish(deps, comment, { isAnswered: true });
  const file = await fileFor(deps, comment, { repository, failures });
  const policy = await deps.policyOf(comment.repositoryId);
  const issue = await issueFor(deps, comment, { policy, failures });
  if (issue === null) return ignore(deps, comment);
  const saidAt = saidAtOf(deps, comment);
  let hand: InHand | null = { comment, permission, repository, issue, policy, file, saidAt, failures };
  for (let index = 0; index < comment.commands.length && hand !== null; index++) {
    hand = await attempt(deps, hand, index);
  }
  return hand !== null && finish(deps, hand.comment, { isAnswered: isAnswered(hand) });
}

/** What fails again and again for a reason of our own would keep all behind it waiting, a stop among them. */
async function attempt(deps: Deps, hand: InHand, index: number): Next {
  try {
    return await carryOut(deps, hand, index);
  } catch (error) {
    if (error instanceof GitHubError || hand.failures + 1 < FAULT_TRIES) throw error;
    // A command is not given up because the database failed.
    await deps.store.check();
    deps.log.error({ comment: hand.comment.id, issue: hand.comment.number, err: error }, 'command failed');
    const comment = (await deps.store.comment(hand.comment.id)) ?? hand.comment;
    // What was done of it stays done, and is told.
    const isBegun = comment.commands[index]?.tasks?.some(({ accepted }) => accepted === true);
    const words = 'it failed here, and the log of the app tells why';
    return settle(deps, { ...hand, comment }, index, isBegun ? { result: 'acted' } : refused('other', words));
  }
}

/** null: nothing that is left to do starts anything. */
async function fileFor(
  deps: Deps,
  { commands }: CommandComment,
  { repository, failures }: Round,
): Promise<FileToStart | null> {
  if (!commands.some(({ said, outcome }) => outcome === null && startsWork(said))) return null;
  const file = await fileToStart(deps, repository);
  if (!file.ok && file.error !== null && isWorthWaiting(file.error, failures)) throw file.error;
  return file;
}

/**
 * Read anew where its author has a say: they may bear another name by now, and somebody else theirs. One that can't be read then
 * is nobody's.
 */
async function issueFor(
  deps: Deps,
  comment: CommandComment,
  { policy, failures }: { policy: Policy; failures: number },
): Promise<TrackedIssue | null> {
  const issue = await issueOf(deps, comment);
  if (issue === null || policy.author.length === 0) return issue;
  const now = await orError(failures, () => readIssue(deps, issue));
  return now instanceof GitHubError ? { ...issue, author: null } : now;
}

/** All of it is carried out: the sign of that, and the answer in words. */
async function finish(deps: Deps, comment: CommandComment, { isAnswered }: { isAnswered: boolean }): Promise<boolean> {
  const now = deps.clock();
  const content = comment.commands.some(fellShort) ? 'confused' : 'rocket';
  const said = isAnswered ? [answer(comment, now), ...(await noticeOf(deps, comment, now))] : [];
  const signed = sign(comment, content, { dueAt: now, createdAt: now });
  return (await keep(deps, comment, { state: 'handled' }, [...said, signed])) !== null;
}

/** That the repository's file is wrong is noticed by who starts something. */
async function noticeOf({ store }: Deps, comment: CommandComment, now: Date): Promise<readonly Write[]> {
  if (!comment.commands.some(({ said }) => startsWork(said))) return [];
  const stored = await store.repositoryFile(comment.repositoryId);
  return stored === null ? [] : noticeWrites(stored, comment.number, now);
}

/** A stranger on a public repository gets a sign, and no comment for everyone to read. */
function isAnswered(hand: InHand): boolean {
  const { comment, policy } = hand;
  if (!mayNothing(speakerOf(hand), policy)) return true;
  return comment.commands.some(
    ({ outcome }) => outcome?.result !== 'refused' || (outcome.why !== 'not_permitted' && outcome.why !== 'edited'),
  );
}
