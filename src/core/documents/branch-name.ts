/** Names of branches as git takes them: https://git-scm.com/docs/git-check-ref-format */
import { describe } from './problem.ts';

/** Of a name in UTF-8: what is left of a file's name once git has put its own words around it. */
const MAX_BYTES = 244;

const RULES: readonly { broken: RegExp; rule: string }[] = [
  { broken: /^$/, rule: 'it must not be empty' },
  {
    broken: /[\p{Cc}\p{Cs} ~^:?*[\\]/u,
    rule: 'it must not contain spaces, control characters or any of ~ ^ : ? * [ \\',
  },
  { broken: /\.\.|\/\/|@\{/, rule: 'it must not contain .. // or @{' },
  { broken: /^[-/]|[/.]$/, rule: 'it must not begin with - or /, nor end with / or .' },
  { broken: /(^|\/)\.|\.lock(\/|$)/, rule: 'no part of it may begin with . or end with .lock' },
  { broken: /^refs\/heads\//, rule: 'refs/heads/ goes without saying' },
  { broken: /^(HEAD|@)$/, rule: 'that is no name of its own' },
];

/** What is wrong with a name, as a sentence; null: nothing. `given`: what to show as given. */
export function branchProblem(name: string, given = name): string | null {
  const rule = brokenRule(name);
  return rule === null ? null : `must be the name of a branch, not ${describe(given)}: ${rule}`;
}

function brokenRule(name: string): string | null {
  const found = RULES.find(({ broken }) => broken.test(name));
  if (found !== undefined) return found.rule;
  return new TextEncoder().encode(name).length > MAX_BYTES ? `it must have at most ${MAX_BYTES} bytes` : null;
}
