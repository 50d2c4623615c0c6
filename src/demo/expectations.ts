/** What must be true once the demo is over, judged from what was seen from outside. Pure. */
import { type BatchView, type TaskView, taskIn } from './api.ts';
import { TASKS } from './batch.ts';

/** One stop, from the click on GitHub to the last look at the processes. */
export interface Stop {
  before: number;
  after: number;
  termMs: number | null;
  /** After TERM; null: it was not needed. */
  killMs: number | null;
  goneMs: number | null;
}

/** Filled while the story is told. */
export interface Seen {
  batch: BatchView | null;
  stops: Map<string, Stop>;
  /** Of what was done, by issue number. */
  comments: Map<number, readonly string[]>;
  /** To the command of a comment. */
  replies: readonly string[];
  /** Reactions to that comment, without the one that it was seen. */
  signs: readonly string[];
  /** Output of the task's newest run. */
  logs: Map<string, string>;
  /** Webhooks of issue #4's close that reached the app. */
  scoreDelivered: number;
  /** Live processes of runs before anything was cleaned up. */
  alive: number;
}

/** Where nothing was seen, no expectation holds. */
export function nothingSeen(): Seen {
  return {
    batch: null,
    stops: new Map(),
    comments: new Map(),
    replies: [],
    signs: [],
    logs: new Map(),
    scoreDelivered: 0,
    alive: 0,
  };
}

export interface Expectation {
  text: string;
  held: boolean;
}

export function judge(seen: Seen): Expectation[] {
  const expectation = (text: string, test: (batch: BatchView) => boolean): Expectation => ({
    text,
    held: seen.batch !== null && test(seen.batch),
  });
  return [
    expectation('fetch ended by itself, and nobody was told', (batch) => {
      return is(taskIn(batch, 'fetch'), 'done', 'run_succeeded') && count(seen, 1) === 0;
    }),
    expectation('train is done, because ann closed #2 as completed', (batch) => {
      const train = taskIn(batch, 'train');
      return is(train, 'done', 'issue_completed') && train.actor === 'ann' && count(seen, 2) === 1;
    }),
    expectation('TERM, then KILL reached all of train, its daemon too', () => emptied(seen, 'train', true)),
    expectation('report started once train was done', (batch) => {
      return is(taskIn(batch, 'report'), 'done', 'run_succeeded') && count(seen, 5) === 0;
    }),
    expectation('index was stopped by TERM alone when #3 was closed as not planned', () =>
      emptied(seen, 'index', false),
    ),
    expectation('index ran again as run 2 after #3 was reopened, and was told why', (batch) => {
      const index = taskIn(batch, 'index');
      const states = index.runs.map((run) => `${run.number} ${run.state}`).sort();
      const told = (seen.logs.get('index') ?? '').includes('issue_reopened');
      return is(index, 'done', 'run_succeeded') && states.join() === '1 cancelled,2 succeeded' && told;
    }),
    expectation('the close and the reopen of #3 have one comment each', () => count(seen, 3) === 2),
    expectation('score is cancelled as a duplicate, though no webhook told of it', (batch) => {
      const stopped = emptied(seen, 'score', false) && seen.scoreDelivered === 0;
      return is(taskIn(batch, 'score'), 'cancelled', 'issue_duplicate') && stopped && count(seen, 4) === 1;
    }),
    expectation('tune is cancelled, because ann said so in a comment', (batch) => {
      const tune = taskIn(batch, 'tune');
      return is(tune, 'cancelled', 'command') && tune.actor === 'ann' && emptied(seen, 'tune', false);
    }),
    expectation('that comment was answered once, and signed as done', () => {
      return seen.replies.length === 1 && count(seen, 6) === 0 && seen.signs.join() === 'rocket';
    }),
    expectation('every comment says what was stopped, and how to undo it', () => {
      const bodies = [2, 3, 4].map((issue) => seen.comments.get(issue));
      return [...bodies, seen.replies].every((told) => told?.every((body) => body.includes('To undo:')));
    }),
    expectation('the batch is partial: four tasks done, two cancelled', (batch) => {
      const done = batch.tasks.filter((task) => task.state === 'done').length;
      return batch.state === 'partial' && done === TASKS.length - 2;
    }),
    expectation('no process of any run is alive', () => seen.alive === 0),
  ];
}

function is(task: TaskView, state: string, cause: string): boolean {
  return task.state === state && task.cause === cause;
}

function count({ comments }: Seen, issue: number): number {
  return comments.get(issue)?.length ?? 0;
}

function emptied({ stops }: Seen, key: string, killed: boolean): boolean {
  const stop = stops.get(key);
  if (stop === undefined || stop.termMs === null || stop.goneMs === null) return false;
  const all = TASKS.find((task) => task.key === key)?.processes;
  return stop.before === all && stop.after === 0 && (stop.killMs !== null) === killed;
}
