/** How a document's mistakes are told: where, what was given, what is accepted. All of them at once, never the first only. */

export interface Problem {
  /** E.g. `tasks.train.needs[0]`; empty for the document as a whole. */
  path: string;
  /** What was given and what is accepted. */
  message: string;
  /** From 1, where the source text is known. */
  line?: number;
  column?: number;
}

/** More than anybody reads, and few enough to answer with. */
export const MAX_PROBLEMS = 1000;

export type Parsed<T> = { ok: true; value: T } | { ok: false; problems: readonly Problem[] };

export type Keys = readonly PropertyKey[];

/** Where in a source text the value under these keys stands; null: not known. */
export type Locate = (keys: Keys) => { line: number; column: number } | null;

/** What is wrong with a part of a document, before it is known where in which document the part stands. */
export interface Finding {
  /** From the part on. */
  keys: Keys;
  message: string;
}

/** The part's findings as those of the whole that has it under these keys. */
export function under(keys: Keys, findings: readonly Finding[]): Finding[] {
  return findings.map((finding) => ({ keys: [...keys, ...finding.keys], message: finding.message }));
}

/** Places are looked up for no more of them than are told. */
export function problemsOf(findings: readonly Finding[], locate?: Locate): Problem[] {
  return findings.slice(0, MAX_PROBLEMS + 1).map(({ keys, message }) => problemAt(keys, message, locate));
}

export function problemAt(keys: Keys, message: string, locate?: Locate): Problem {
  return { path: formatPath(keys), message, ...locate?.(keys) };
}

/** The first of them, saying so where there are more. */
export function bounded(problems: readonly Problem[], atMost = MAX_PROBLEMS): readonly Problem[] {
  if (problems.length <= atMost) return problems;
  return [...problems.slice(0, atMost), { path: '', message: 'has more problems, which are not listed' }];
}

export function formatPath(keys: Keys): string {
  return keys.reduce<string>((path, key) => {
    if (typeof key === 'number') return `${path}[${key}]`;
    const name = String(key);
    if (!/^[\w-]+$/.test(name)) return `${path}[${JSON.stringify(name)}]`;
    return path === '' ? name : `${path}.${name}`;
  }, '');
}

/** The inverse of `formatPath`. */
export function parsePath(path: string): (string | number)[] {
  return [...path.matchAll(/\[("(?:[^"\\]|\\.)*")\]|\[(\d+)\]|[\w-]+/g)].map(([name, quoted, index]) => {
    if (quoted !== undefined) return JSON.parse(quoted) as string;
    return index === undefined ? name : Number(index);
  });
}

/** Adds line and column to problems that were found without the text at hand. */
export function withPlaces(problems: readonly Problem[], locate: Locate): Problem[] {
  return problems.map((problem) => ({ ...locate(parsePath(problem.path)), ...problem }));
}

/** One line for people: `line 3, column 5: tasks.train.issue: must be …`. */
export function formatProblem(problem: Problem): string {
  const place = problem.line === undefined ? '' : `line ${problem.line}, column ${problem.column ?? 1}: `;
  return `${place}${problem.path === '' ? '' : `${problem.path}: `}${problem.message}`;
}

const LISTED_NAMES = 10;

/** The first of the names. */
export function listed(names: readonly string[]): string {
  return names.slice(0, LISTED_NAMES).join(', ') + (names.length > LISTED_NAMES ? ', …' : '');
}

const SHOWN_CHARACTERS = 60;

/** What was given, short enough for a message. */
export function describe(value: unknown): string {
  if (typeof value === 'string') {
    return JSON.stringify(value.length > SHOWN_CHARACTERS ? `${value.slice(0, SHOWN_CHARACTERS)}…` : value);
  }
  if (value === undefined) return 'nothing';
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return String(value);
  return Array.isArray(value) ? `a list of ${value.length}` : 'a mapping';
}
