/**
 * Troubles on demand: which requests are hit, how often, and by what. It only decides; the server carries them out.
 */

type Trouble =
  /** Answers this instead; nothing happens. */
  | { kind: 'answer'; status: number; body?: unknown; headers?: Record<string, string> }
  /** A 200 whose body is not what it should be. Default: a proxy's HTML page. */
  | { kind: 'garbage'; body?: string; contentType?: string }
  /** Does what was asked for, then answers this status (default 502) as if it had not. */
  | { kind: 'lost_answer'; status?: number }
  /** Does what was asked for, and answers something else than it would. */
  | { kind: 'change'; change: (body: unknown) => unknown }
  /** Waits, then goes on as usual. */
  | { kind: 'delay'; ms: number }
  /** Closes the connection: before anything happens, or after it did. */
  | { kind: 'drop'; after?: boolean }
  /** Never answers, until it is cleared or the stand-in closes. */
  | { kind: 'hang' }
  | { kind: 'secondary_limit'; retryAfterSeconds?: number; status?: 403 | 429 };

export type Fault = Trouble & {
  /** Default: any. */
  method?: string;
  /**
   * Below `/api/v3`, without the query, or `/graphql`: a path in which `{name}` stands for one segment and `*` for anything, or a pattern.
   * Default: any.
   */
  path?: string | RegExp;
  /** Default: until cleared. */
  times?: number;
};

export interface Faults {
  /** Returns what takes this one back. The oldest that matches is used first. */
  add: (fault: Fault) => () => void;
  clear: () => void;
}

export interface Hit {
  trouble: Trouble;
  /** Resolves once the fault is taken back. */
  cleared: Promise<void>;
}

export interface FaultBook extends Faults {
  take: (method: string, path: string) => Hit | null;
}

interface Entry {
  fault: Fault;
  left: number;
  cleared: Promise<void>;
  clear: () => void;
}

export function makeFaultBook(): FaultBook {
  let entries: Entry[] = [];

  function remove(entry: Entry): void {
    entries = entries.filter((other) => other !== entry);
    entry.clear();
  }

  return {
    add: (fault) => {
      const { promise, resolve } = makeSignal();
      const entry = { fault, left: fault.times ?? Number.POSITIVE_INFINITY, cleared: promise, clear: resolve };
      entries.push(entry);
      return () => remove(entry);
    },
    clear: () => {
      for (const entry of entries) remove(entry);
    },
    take: (method, path) => {
      const entry = entries.find(({ fault, left }) => left > 0 && matches(fault, method, path));
      if (entry === undefined) return null;
      entry.left -= 1;
      return { trouble: entry.fault, cleared: entry.cleared };
    },
  };
}

function matches(fault: Fault, method: string, path: string): boolean {
  if (fault.method !== undefined && fault.method !== method) return false;
  if (fault.path === undefined) return true;
  return (typeof fault.path === 'string' ? compile(fault.path) : fault.path).test(path);
}

function compile(path: string): RegExp {
  const source = path
    .split(/(\{\w+\}|\*)/)
    .map((part) => (part === '*' ? '.*' : part.startsWith('{') ? '[^/]+' : escapePattern(part)))
    .join('');
  return new RegExp(`^${source}$`);
}

function makeSignal(): { promise: Promise<void>; resolve: () => void } {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
