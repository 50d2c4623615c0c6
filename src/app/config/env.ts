/** Reads single variables of the environment, keeps every problem, and echoes only what is no secret. */
import { describe } from '../../core/documents/problem.ts';
import type { ConfigProblem } from './config.ts';

/** Text of a file; null, or the system's ENOENT, where it does not exist. */
export type ReadFile = (path: string) => string | null;

export type Env = Readonly<Record<string, string | undefined>>;

export interface EnvReader {
  readonly problems: ConfigProblem[];
  refuse(key: string, message: string): void;
  /** An empty variable is one that is not set. */
  text(key: string): string | null;
  /** The default where it is not set or wrong. */
  number(key: string, range: { fallback: number; min: number; max: number; whole?: boolean }): number;
  choice<T extends string>(key: string, accepted: readonly T[], fallback: T): T;
  /** `accepted` says in words what `pattern` takes. */
  matching(key: string, pattern: RegExp, accepted: string): string | null;
  url(key: string): string | null;
}

export function makeEnvReader(env: Env): EnvReader {
  const problems: ConfigProblem[] = [];
  const refuse = (key: string, message: string) => void problems.push({ key, message });
  const text = (key: string) => env[key]?.trim() || null;
  const matching = (key: string, pattern: RegExp, accepted: string) => {
    const value = text(key);
    if (value === null || pattern.test(value)) return value;
    refuse(key, `must be ${accepted}, not ${describe(value)}`);
    return null;
  };
  return {
    problems,
    refuse,
    text,
    matching,
    number(key, { fallback, min, max, whole = false }) {
      const value = text(key);
      if (value === null) return fallback;
      const number = /^\d+(\.\d+)?$/.test(value) ? Number(value) : Number.NaN;
      if (number >= min && number <= max && (!whole || Number.isInteger(number))) return number;
      refuse(key, `must be a ${whole ? 'whole ' : ''}number from ${min} to ${max}, not ${describe(value)}`);
      return fallback;
    },
    choice(key, accepted, fallback) {
      const value = text(key);
      const choice = value === null ? fallback : accepted.find((one) => one === value);
      if (choice === undefined) refuse(key, `must be one of ${accepted.join(', ')}, not ${describe(value)}`);
      return choice ?? fallback;
    },
    url(key) {
      return matching(key, /^https?:\/\/[^\s/?#@]+(\/[^\s?#]*)?$/, 'an http or https URL without user or query');
    },
  };
}
