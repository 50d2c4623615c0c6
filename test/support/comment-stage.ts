/** The engine on the memory store, and a GitHub of a few words: people comment, and what the comments say is carried out. */
import type { CommandComment, CommandOutcome } from '../../src/core/comment.ts';
import type { IssueSnapshot } from '../../src/core/issue.ts';
import type { Permission } from '../../src/core/policy.ts';
import type { Run } from '../../src/core/run.ts';
import type { Task } from '../../src/core/task.ts';
import { handleComments } from '../../src/engine/commands/handle.ts';
import type { Deps } from '../../src/engine/deps.ts';
import { parseKey } from '../../src/engine/keys.ts';
import { makePolicyOf } from '../../src/engine/policies.ts';
import {
  GitHubError,
  type Hint,
  type JobControl,
  type JournalEvent,
  type OutboxItem,
  type SeenComment,
  type Store,
} from '../../src/engine/ports.ts';
import { processDeliveries } from '../../src/engine/process-deliveries.ts';
import { makeMemoryStore } from '../../src/store/memory/index.ts';
import { type Files, makeFiles } from '../fixtures/engine/files.ts';
import { anIssue, aRun, aTask, at } from './builders.ts';
import { silentLog } from './databases.ts';

export const REPOSITORY = { id: '7', fullName: 'acme/widgets', installationId: 1 };
export const ISSUE = 12;
export const OUR_APP = 'standdown';

export interface Stage {
  deps: Deps;
  store: Store;
  files: Files;
  /** What people hold; who is not in it holds none. */
  roles: Map<string, Permission>;
  issues: Map<number, IssueSnapshot>;
  /** As GitHub shows them now. */
  comments: Map<string, SeenComment>;
  /** Calls of GitHub that fail from now on, by name, with this error. */
  failing: Map<string, GitHubError>;
  /** How often each call was made. */
  calls: Map<string, number>;
  trusted: string[];
  /** The output of every run. */
  output: { text: string };
  /** Sets both clocks. */
  setTime(seconds: number): void;
  /** Somebody writes a comment; nobody has told of it yet. */
  write(body: string, set?: Partial<SeenComment>): SeenComment;
  /** GitHub tells of it. */
  tell(comment: SeenComment, deliveryId?: string): Promise<void>;
  /** Works the comments off that are due, with as many tries as it takes. */
  work(): Promise<void>;
  /** All of these; gives the row, where there is one. */
  say(body: string, set?: Partial<SeenComment>): Promise<CommandComment | null>;
  /** A task of the issue, with its run where it has one. */
  put(set: Partial<Task> & Pick<Task, 'id'>, run?: Partial<Run>): Promise<void>;
  task(id: string): Promise<Task>;
  owed(): Promise<Record<string, OutboxItem['kind']>>;
  events(type: string): Promise<readonly JournalEvent[]>;
}

export interface StageOptions {
  /** Default: a memory store. */
  store?: (now: () => Date) => Promise<Store>;
}

export async function makeStage(options: StageOptions = {}): Promise<Stage> {
  let now = at(100);
  let ids = 0;
  const clock = () => now;
  const store = (await options.store?.(clock)) ?? makeMemoryStore({ now: clock });
  const files = makeFiles();
  const roles = new Map<string, Permission>([
    ['ann', 'write'],
    ['tom', 'triage'],
    ['rita', 'read'],
  ]);
  const { repositoryId: _, ...issue } = anIssue({ number: ISSUE, author: 'olga', updatedAt: at(0) });
  const issues = new Map<number, IssueSnapshot>([[ISSUE, issue]]);
  const comments = new Map<string, SeenComment>();
  const failing = new Map<string, GitHubError>();
  const calls = new Map<string, number>();
  const trusted: string[] = [];
  const output = { text: '' };
  const owedKeys = new Map<string, OutboxItem['kind']>();

  async function answer<T>(name: string, of: () => T | Promise<T>): Promise<T> {
    calls.set(name, (calls.get(name) ?? 0) + 1);
    const error = failing.get(name);
    if (error !== undefined) throw error;
    return of();
  }

  const github: NonNullable<Deps['github']> = {
    readIssue: (_repository, number) =>
      answer('readIssue', () => {
        const found = issues.get(number);
        return found === undefined ? { found: 'deleted' as const } : { found: 'issue' as const, issue: found };
      }),
    readReopener: async () => ({ actor: 'ann', at: new Date(), closed: null }),
    readPermission: (_repository, login) => answer('readPermission', () => roles.get(login) ?? 'none'),
    readDependencies: async () => [],
    readEditor: async () => 'ann',
    readUnblockers: async () => [],
    findRepository: async () => REPOSITORY,
    clockOffsetMs: () => 0,
    readFile: (...asked) => answer('readFile', () => files.readFile(...asked)),
    readComment: (_repository, id) => answer('readComment', () => comments.get(id) ?? null),
    readComments: (_repository, since) =>
      answer('readComments', () => [...comments.values()].filter(({ updatedAt }) => updatedAt >= since)),
    self: () => answer('self', () => ({ login: `${OUR_APP}[bot]`, app: OUR_APP })),
  };
  const runner = {
    profile: { graceSeconds: 10, maxRunning: null, passEnv: [], kind: 'process', containment: 'scan', notes: [] },
    log: async () => output.text,
  } as unknown as JobControl;

  const watched: Store = {
    ...store,
    async commit(writes) {
      const done = await store.commit(writes);
      for (const write of done ? writes : []) {
        if (write.write === 'outbox.owe') owedKeys.set(write.item.key, write.item.kind);
      }
      return done;
    },
  };
  const deps: Deps = {
    store: watched,
    runners: {
      get: (name) => (name === 'local' ? runner : null),
      names: () => ['local'],
      allows: (_name, repository) => repository === REPOSITORY.fullName,
    },
    github,
    interpret: (_event, payload) => revived(payload as { comment: SeenComment }),
    policyOf: makePolicyOf(store, () => ({})),
    trustedApps: () => trusted,
    limits: { maxRunning: 8, maxRunningPerRepository: 8 },
    clock,
    newId: (prefix) => `${prefix}_${String(++ids).padStart(8, '0')}`,
    log: silentLog,
  };

  const stage: Stage = {
    deps,
    store: watched,
    files,
    roles,
    issues,
    comments,
    failing,
    calls,
    trusted,
    output,
    setTime(seconds) {
      now = at(seconds);
    },
    write(body, set = {}) {
      const createdAt = set.createdAt ?? now;
      const id = set.id ?? String(9_000 + comments.size);
      const written = {
        id,
        number: ISSUE,
        author: 'ann',
        isBot: false,
        app: null,
        body,
        createdAt,
        updatedAt: createdAt,
      };
      const comment = { ...written, ...set };
      comments.set(comment.id, comment);
      return comment;
    },
    async tell(comment, deliveryId = `delivery-${comment.id}`) {
      await store.inbox.insert({
        id: deliveryId,
        event: 'issue_comment',
        payload: JSON.stringify({ comment }),
        receivedAt: now,
      });
      await processDeliveries(deps);
    },
    async work() {
      for (let round = 0; round < 20; round++) {
        const leases = await store.queue.claim('test', 100, 60_000);
        if (leases.length === 0) return;
        for (const lease of leases) {
          const key = parseKey(lease.key);
          try {
            if (key?.kind === 'comments') await handleComments(deps, key.ref, lease.failures);
            await store.queue.complete(lease);
          } catch (error) {
            if (!(error instanceof GitHubError)) throw error;
            await store.queue.fail(lease, now, error.message);
          }
        }
      }
      throw new Error('the work did not come to its end');
    },
    async say(body, set = {}) {
      const comment = stage.write(body, set);
      await stage.tell(comment);
      await stage.work();
      return store.comment(comment.id);
    },
    async put(set, run) {
      const task = aTask({
        repositoryId: REPOSITORY.id,
        issueNumber: ISSUE,
        batchId: null,
        key: set.id.replace(/^task_/, ''),
        ...(run === undefined ? {} : { state: 'running', runNumber: 1, attempt: 1 }),
        ...set,
      });
      await store.commit([{ write: 'task.insert', task }]);
      if (run !== undefined) {
        await store.commit([{ write: 'run.insert', run: aRun({ id: `run_${task.id}`, taskId: task.id, ...run }) }]);
      }
    },
    async task(id) {
      const task = await store.task(id);
      if (task === null) throw new Error(`there is no ${id}`);
      return task;
    },
    owed: async () => Object.fromEntries(owedKeys),
    events: async (type) => (await store.queries.events(null, 1_000)).filter((event) => event.type === type),
  };
  await store.commit([
    { write: 'repository.put', repository: REPOSITORY },
    { write: 'comments.since', repositoryId: REPOSITORY.id, from: null, to: at(0) },
  ]);
  return stage;
}

/** A delivery's payload is text: its times come back as strings. */
function revived({ comment }: { comment: SeenComment }): Hint {
  const [createdAt, updatedAt] = [new Date(comment.createdAt), new Date(comment.updatedAt)];
  const ref = { repositoryId: REPOSITORY.id, number: comment.number };
  return { kind: 'comment', ref, repository: REPOSITORY, comment: { ...comment, createdAt, updatedAt } };
}

/** What came of each command, in their order. */
export function outcomesOf(comment: CommandComment | null): readonly (CommandOutcome | null)[] {
  return (comment?.commands ?? []).map(({ outcome }) => outcome);
}

/** The signs that are owed on a comment: `rocket`, `confused`, `eyes`. */
export async function signsOn(stage: Stage, id: string): Promise<readonly string[]> {
  const start = `reaction:${id}:`;
  return Object.keys(await stage.owed()).flatMap((key) => (key.startsWith(start) ? [key.slice(start.length)] : []));
}
