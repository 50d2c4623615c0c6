/** The outbox on the memory store, with a GitHub that keeps comments and remembers when it was written to. */
import { DEFAULT_POLICY } from '../../src/core/policy.ts';
import type { Deps } from '../../src/engine/deps.ts';
import { makeSender, type Sender, sendOwed } from '../../src/engine/outbox/index.ts';
import { GitHubError, type OutboxItem, type RepositoryRef, type Store } from '../../src/engine/ports.ts';
import { makeMemoryStore } from '../../src/store/memory/index.ts';
import { at } from './builders.ts';
import { silentLog } from './databases.ts';

export const HERE: RepositoryRef = { id: '1', fullName: 'acme/widgets', installationId: 77 };
export const ELSEWHERE: RepositoryRef = { id: '2', fullName: 'other/gadgets', installationId: 78 };

export interface SeenWrite {
  call: string;
  installation: number | null;
  number: number | null;
  at: Date;
}

/** `before`: nothing comes of the call. `after`: it did what it was to do, and the answer is lost. */
export type Fault = { call: string; number?: number; error: Error; when: 'before' | 'after' };

export interface OutboxStage {
  store: Store;
  deps: Deps;
  /** All writes that reached GitHub, also those that it refused. */
  writes: SeenWrite[];
  /** Comments as they are now, by id. */
  comments: Map<string, { number: number; body: string }>;
  /** Reactions, as `COMMENT:CONTENT`. */
  reactions: string[];
  /** Each is used up by the first call that it is about. */
  faults: Fault[];
  now(): Date;
  advance(ms: number): void;
  /** A sender as a process that starts now makes it. */
  start(over?: Partial<Deps>): Sender;
  /** Lets the sender work for so long, at every moment at which something may go out. */
  run(sender: Sender, ms: number): Promise<void>;
  /** Owes an outcome without tasks, or whatever is given; made and due now. */
  owe(key: string, number: number, given?: Partial<OutboxItem>): Promise<void>;
  item(key: string): Promise<OutboxItem>;
  bodiesOf(number: number): string[];
  events(type: string): Promise<readonly unknown[]>;
}

export const idOf = (key: string) => key.replaceAll(':', '-');

export async function makeOutboxStage(): Promise<OutboxStage> {
  let time = at(0).getTime();
  const now = () => new Date(time);
  const store = makeMemoryStore({ now });
  for (const repository of [HERE, ELSEWHERE]) await store.commit([{ write: 'repository.put', repository }]);
  const writes: SeenWrite[] = [];
  const comments: OutboxStage['comments'] = new Map();
  const reactions: string[] = [];
  const faults: Fault[] = [];

  function fault(call: string, number: number | null, when: Fault['when']): void {
    const index = faults.findIndex(
      (each) => each.call === call && each.when === when && (each.number ?? number) === number,
    );
    if (index < 0) return;
    const [{ error }] = faults.splice(index, 1) as [Fault];
    throw error;
  }

  async function write<T>(call: string, repository: RepositoryRef, number: number | null, work: () => T): Promise<T> {
    writes.push({ call, installation: repository.installationId, number, at: now() });
    fault(call, number, 'before');
    const result = work();
    fault(call, number, 'after');
    return result;
  }

  const github = {
    clockOffsetMs: () => 0,
    findComment: async (_: RepositoryRef, number: number, marker: string) => {
      fault('findComment', number, 'before');
      const ours = ([, comment]: [string, { number: number; body: string }]) =>
        comment.number === number && comment.body.startsWith(marker);
      return [...comments].find(ours)?.[0] ?? null;
    },
    createComment: (repository: RepositoryRef, number: number, body: string) =>
      write('createComment', repository, number, () => {
        const id = String(1_000 + comments.size);
        comments.set(id, { number, body });
        return id;
      }),
    updateComment: (repository: RepositoryRef, id: string, body: string) => {
      const known = comments.get(id);
      return write('updateComment', repository, known?.number ?? null, () => {
        if (known === undefined) return 'gone' as const;
        comments.set(id, { ...known, body });
        return 'updated' as const;
      });
    },
    react: (repository: RepositoryRef, id: string, content: string) =>
      write('react', repository, null, () => {
        reactions.push(`${id}:${content}`);
        return 'done' as const;
      }),
    closeIssue: (repository: RepositoryRef, number: number) => write('closeIssue', repository, number, () => {}),
  } as unknown as NonNullable<Deps['github']>;

  const deps: Deps = {
    store,
    runners: { get: () => null, names: () => [], allows: () => true },
    github,
    interpret: () => ({ kind: 'ignored' }),
    policyOf: async () => DEFAULT_POLICY,
    trustedApps: () => [],
    limits: { maxRunning: 1, maxRunningPerRepository: 1 },
    clock: now,
    newId: (prefix) => prefix,
    log: silentLog,
  };

  let starts = 0;
  const stage: OutboxStage = {
    ...{ store, deps, writes, comments, reactions, faults, now },
    advance(ms) {
      time += ms;
    },
    start(over = {}) {
      starts += 1;
      const pace = { gapMs: 1_000, perMinute: 75, perHour: 480 };
      return makeSender({ deps: { ...deps, ...over }, owner: `sender-${starts}`, pace });
    },
    async run(sender, ms) {
      const end = time + ms;
      for (;;) {
        const asked = (await sendOwed(sender)) ?? (await store.outbox.nextDue());
        // What is due and waits for another message is looked at now and then, as the loop does.
        const next = Math.max(asked?.getTime() ?? Number.POSITIVE_INFINITY, time + 100);
        if (next > end) break;
        time = next;
      }
      time = Math.max(time, end);
    },
    async owe(key, number, given = {}) {
      const { kind = 'outcome', repositoryId = HERE.id, dueAt = now(), createdAt = now() } = given;
      const item = { id: idOf(key), key, kind, repositoryId, number, dueAt, createdAt };
      await store.commit([{ write: 'outbox.owe', item }]);
    },
    async item(key) {
      const view = await store.outbox.view(idOf(key));
      if (view === null) throw new Error(`nothing is owed as ${key}`);
      return view.item;
    },
    bodiesOf: (number) => [...comments.values()].filter((each) => each.number === number).map(({ body }) => body),
    events: async (type) => (await store.queries.events(null, 9_999)).filter((event) => event.type === type),
  };
  return stage;
}

export function refusal(
  code: GitHubError['code'],
  status: number,
  retryAfterSeconds: number | null = null,
): GitHubError {
  return new GitHubError(code, `refused with ${status}`, { status, retryAfterSeconds });
}
