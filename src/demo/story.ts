/**
 * The demo's script: what people do on GitHub, and what is seen of it. It waits for what should happen and writes down what it
 * saw; whether that is right is judged afterwards.
 */
import type { Run } from '../core/run.ts';
import { type BatchView, type TaskView, taskIn } from './api.ts';
import { batchDocument, markOf, REPOSITORY, TASKS } from './batch.ts';
import type { Seen, Stop } from './expectations.ts';
import type { Delivery } from './github/index.ts';
import type { CloseReason } from './github/state/types.ts';
import type { Narrator } from './narrator.ts';
import { findMarked } from './processes.ts';
import { type Stage, SWEEP_SECONDS } from './stage.ts';
import { until } from './until.ts';
import { COMMAND, commentsOn, type Kind, signsOnCommand, TUNE_ISSUE } from './words.ts';

const SCORE_ISSUE = 4;

interface Telling extends Stage {
  narrator: Narrator;
  signal: AbortSignal;
  batchId: string;
  stops: Map<string, Stop>;
}

/** Throws where something did not come. */
export async function tellStory(
  stage: Stage,
  { narrator, signal, seen }: { narrator: Narrator; signal: AbortSignal; seen: Seen },
): Promise<void> {
  seen.batch = await submit(stage, narrator);
  const telling: Telling = { ...stage, narrator, signal, batchId: seen.batch.id, stops: seen.stops };
  await watchStart(telling);
  await closeCompleted(telling);
  await closeNotPlanned(telling);
  await reopen(telling);
  await closeUnheard(telling);
  await command(telling);
  await untilQuiet(telling);
}

/** The state of the world, once the story is over or broken off. */
export async function lookAround(stage: Stage, seen: Seen): Promise<void> {
  seen.alive = TASKS.reduce((sum, { key }) => sum + alive(stage, key), 0);
  for (const { issue } of TASKS) seen.comments.set(issue, commentsOn(stage, issue, 'outcome'));
  seen.replies = commentsOn(stage, TUNE_ISSUE, 'reply');
  seen.signs = signsOnCommand(stage);
  seen.scoreDelivered = stage.github.deliveries().filter(isCloseOfScore).length;
  if (seen.batch === null) return;
  seen.batch = await stage.api.batch(seen.batch.id);
  for (const { id, key } of seen.batch.tasks) seen.logs.set(key, await stage.api.log(id));
}

/** One that came through, and was not sent again later. */
function isCloseOfScore({ action, payload, state, redelivery }: Delivery): boolean {
  if (action !== 'closed' || state !== 'delivered' || redelivery) return false;
  return (payload.issue as { number: number }).number === SCORE_ISSUE;
}

async function submit({ api, marker }: Stage, { scene, say }: Narrator): Promise<BatchView> {
  scene(`A batch of ${TASKS.length} tasks is submitted over REST, each linked to an issue of ${REPOSITORY}`);
  for (const { key, issue, does } of TASKS) say(`#${issue} ${key.padEnd(7)} ${does}`);
  return api.submit(batchDocument(marker));
}

async function watchStart(telling: Telling): Promise<void> {
  const long = TASKS.filter((task) => task.processes !== null);
  await until('the long tasks are running', telling.signal, async () => {
    const batch = await telling.api.batch(telling.batchId);
    const ready = long.every(({ key, processes }) => {
      return taskIn(batch, key).runs[0]?.state === 'running' && alive(telling, key) === processes;
    });
    return ready ? true : null;
  });
  telling.narrator.scene('Real processes run');
  for (const { key } of long) telling.narrator.say(`${key.padEnd(7)} ${processes(alive(telling, key))}`);
  await untilState(telling, 'fetch', 'done');
  telling.narrator.say('fetch   has ended by itself, exit code 0: done');
}

async function closeCompleted(telling: Telling): Promise<void> {
  const { narrator } = telling;
  narrator.scene('ann closes #2 as completed: train is to stop, though its processes ignore TERM');
  await close(telling, 'train', 2, 'completed');
  await tellComment(telling, 2, 1);
  await untilState(telling, 'report', 'done');
  narrator.say('report was waiting for train: it has started, and is done too');
}

async function closeNotPlanned(telling: Telling): Promise<void> {
  telling.narrator.scene('ann closes #3 as not planned');
  await close(telling, 'index', 3, 'not_planned');
  await tellComment(telling, 3, 1);
}

async function reopen(telling: Telling): Promise<void> {
  const { narrator, github } = telling;
  narrator.scene('ann reopens #3: index runs again');
  const clicked = Date.now();
  github.issue(REPOSITORY, 3).reopen({ by: 'ann' });
  const task = await untilState(telling, 'index', 'done');
  const run = await runOf(telling, task.id);
  if (run?.startedAt) narrator.took('reopened on GitHub → run 2 started', run.startedAt.getTime() - clicked);
  narrator.say(`its log: ${(await telling.api.log(task.id)).trim()}`);
  await tellComment(telling, 3, 2);
}

async function closeUnheard(telling: Telling): Promise<void> {
  telling.narrator.scene('ann closes #4 as a duplicate, and the webhook is lost on its way');
  telling.github.webhooks.lose(({ action }) => action === 'closed');
  telling.narrator.say(`nobody tells Standdown; the sweep, every ${SWEEP_SECONDS} s, has to find it`);
  await close(telling, 'score', SCORE_ISSUE, 'duplicate');
  telling.github.webhooks.loseNone();
  await tellComment(telling, SCORE_ISSUE, 1);
}

async function command(telling: Telling): Promise<void> {
  const { narrator, github } = telling;
  narrator.scene(`ann writes a comment on #${TUNE_ISSUE}: ${COMMAND}`);
  await stop(telling, 'tune', 'cancelled', {
    word: 'said',
    act: () => github.issue(REPOSITORY, TUNE_ISSUE).comment({ by: 'ann', body: COMMAND }),
  });
  await tellComment(telling, TUNE_ISSUE, 1, 'reply');
  const sign = await until('a sign on the comment', telling.signal, () => signsOnCommand(telling)[0] ?? null);
  narrator.say(`the reaction to ann's own comment is ${sign === 'rocket' ? '🚀' : sign}`);
}

const STATE_AFTER = { completed: 'done', not_planned: 'cancelled', duplicate: 'cancelled' } as const;

async function close(telling: Telling, key: string, issue: number, reason: CloseReason): Promise<void> {
  await stop(telling, key, STATE_AFTER[reason], {
    word: 'closed',
    act: () => telling.github.issue(REPOSITORY, issue).close({ by: 'ann', reason }),
  });
}

/** From the click to the processes' end, by this process's clock and the times that the app has kept of the run. */
async function stop(
  telling: Telling,
  key: string,
  state: string,
  { word, act }: { word: string; act: () => unknown },
): Promise<void> {
  const { narrator } = telling;
  const before = alive(telling, key);
  const clicked = Date.now();
  act();
  const task = await untilState(telling, key, state);
  const after = alive(telling, key);
  const run = await runOf(telling, task.id);
  const { termAt = null, killAt = null, goneAt = null } = run ?? {};
  const seen: Stop = {
    before,
    after,
    termMs: termAt && termAt.getTime() - clicked,
    killMs: killAt && termAt && killAt.getTime() - termAt.getTime(),
    goneMs: goneAt && goneAt.getTime() - clicked,
  };
  telling.stops.set(key, seen);
  tellStop(narrator, word, seen);
  narrator.say(`${processes(before)} before, ${after} after; ${key} is ${task.state}`);
}

function tellStop({ took }: Narrator, word: string, { termMs, killMs, goneMs }: Stop): void {
  if (termMs !== null) took(`${word} on GitHub → TERM sent`, termMs);
  if (killMs !== null) took('TERM ignored → KILL sent', killMs);
  if (goneMs !== null) took(`${word} on GitHub → every process seen gone`, goneMs);
}

async function tellComment(telling: Telling, issue: number, number: number, kind: Kind = 'outcome'): Promise<void> {
  const body = await until(`comment ${number} on #${issue}`, telling.signal, () => {
    return commentsOn(telling, issue, kind)[number - 1] ?? null;
  });
  telling.narrator.comment(`${telling.github.appSlug}[bot]`, issue, body);
}

async function untilState({ api, batchId, signal }: Telling, key: string, state: string): Promise<TaskView> {
  return until(`${key} is ${state}`, signal, async () => {
    const task = taskIn(await api.batch(batchId), key);
    if (task.state === 'failed') throw new Error(`${key} has failed (${task.cause}), and was to be ${state}`);
    return task.state === state ? task : null;
  });
}

/** So that a comment too many would be there when they are counted. */
async function untilQuiet({ app, signal }: Telling): Promise<void> {
  await until('nothing is owed to GitHub any more', signal, async () => {
    const { deliveries, messages } = await app.deps.store.queries.backlog();
    return deliveries + messages === 0 ? true : null;
  });
}

function runOf({ app }: Telling, taskId: string): Promise<Run | null> {
  return app.deps.store.newestRun(taskId);
}

function alive({ marker }: Stage, key: string): number {
  return findMarked(markOf(marker, key)).length;
}

function processes(count: number): string {
  return `${count} ${count === 1 ? 'process' : 'processes'}`;
}
