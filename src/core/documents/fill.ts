/** A spec whose words hold expressions, with the values in their place: inside the items of `run`, the values of `env` and the branches of `evidence` only. */
import { branchProblem } from './branch-name.ts';
import { fillIn, hasExpression, namesIn } from './expression.ts';
import { MAX_STRING } from './fields.ts';
import { type Inputs, judgeValues } from './input.ts';
import type { Matches } from './pattern.ts';
import { type Finding, type Keys, listed } from './problem.ts';
import type { EvidenceSpec, TaskSpec } from './spec.ts';

/** What expressions may name besides `inputs`. */
export interface ExpressionContext {
  /** `owner/name` */
  repository: string;
  /** null: the task is linked to none. */
  issue: { number: number; url: string } | null;
}

/** Of all that was filled in, together: it is kept with each task. */
const MAX_FILLED = 1_000_000;

/** What of a spec may hold expressions. */
type Worded = Pick<TaskSpec, 'run' | 'env' | 'verify' | 'evidence'>;

/** Findings stand under `inputs`, `issue`, `run`, `env`, `verify` or `evidence`. */
export function fill(
  { spec, inputs }: { spec: TaskSpec; inputs: Inputs },
  given: Readonly<Record<string, string>>,
  { context, matches }: { context: ExpressionContext; matches: Matches },
): { ok: true; spec: TaskSpec } | { ok: false; findings: Finding[] } {
  const judged = judgeValues(inputs, given, matches);
  if (judged.findings.length === 0 && !wordsOf(spec).some(({ text }) => hasExpression(text))) return { ok: true, spec };
  const findings = [
    ...judged.findings.map(({ keys, message }) => ({ keys: ['inputs', ...keys], message })),
    ...expressionFindings(spec, inputs),
    ...issueFindings(spec, context),
  ];
  if (findings.length > 0) return { ok: false, findings };
  const values = valuesOf(judged.values, context);
  const filled = {
    ...spec,
    ...fillStage(spec, values),
    ...(spec.verify ? { verify: { ...spec.verify, ...fillStage(spec.verify, values) } } : {}),
    ...(spec.evidence ? { evidence: fillEvidence(spec.evidence, values) } : {}),
  };
  const wrong = [...sizeFindings(filled), ...branchFindings(filled)];
  return wrong.length > 0 ? { ok: false, findings: wrong } : { ok: true, spec: filled };
}

function fillStage({ run, env }: Pick<TaskSpec, 'run' | 'env'>, values: ReadonlyMap<string, string>) {
  return {
    run: run.map((item) => fillIn(item, values)),
    env: Object.fromEntries(Object.entries(env).map(([name, value]) => [name, fillIn(value, values)])),
  };
}

function fillEvidence({ branch, base }: EvidenceSpec, values: ReadonlyMap<string, string>): EvidenceSpec {
  return { branch: fillIn(branch, values), base: base === null ? null : fillIn(base, values) };
}

/** What was given for an input may make a name that git takes for none. */
function branchFindings({ evidence }: Worded): Finding[] {
  return branchesOf(evidence).flatMap(({ keys, text }) => {
    const message = branchProblem(text);
    return message === null ? [] : [{ keys, message }];
  });
}

/** Expressions that name inputs which are not there, and a program that anybody could name. */
export function expressionFindings(spec: Worded, inputs: Inputs): Finding[] {
  const known = listed([...inputs.keys()].map((name) => `inputs.${name}`)) || 'there are no inputs';
  return wordsOf(spec).flatMap(({ keys, text }) => {
    const named = [...new Set(namesIn(text))].filter((name) => name.startsWith('inputs.'));
    return named.flatMap((name) => {
      const input = inputs.get(name.slice('inputs.'.length));
      if (input === undefined) return [{ keys, message: `no input is called ${name}; accepted: ${known}` }];
      if (keys.at(-2) !== 'run' || keys.at(-1) !== 0 || input.pattern !== null) return [];
      return [{ keys, message: `an input that names the program must have a pattern: ${name} has none` }];
    });
  });
}

function issueFindings(spec: TaskSpec, { issue }: ExpressionContext): Finding[] {
  const named = wordsOf(spec)
    .flatMap(({ text }) => namesIn(text))
    .find((name) => name.startsWith('issue.'));
  if (issue !== null || named === undefined) return [];
  return [{ keys: ['issue'], message: `is missing: \${{ ${named} }} needs a task that is linked to an issue` }];
}

function valuesOf(inputs: ReadonlyMap<string, string>, { repository, issue }: ExpressionContext): Map<string, string> {
  const values = new Map([...inputs].map(([name, value]) => [`inputs.${name}`, value]));
  values.set('repository', repository);
  if (issue !== null) values.set('issue.number', String(issue.number)).set('issue.url', issue.url);
  return values;
}

function sizeFindings(spec: TaskSpec): Finding[] {
  const words = wordsOf(spec);
  const long = words.find(({ text }) => text.length > MAX_STRING);
  if (long !== undefined) return [{ keys: long.keys, message: `comes to more than ${MAX_STRING} characters` }];
  const nameless = words.find(({ keys, text }) => keys.at(-2) === 'run' && keys.at(-1) === 0 && text === '');
  if (nameless !== undefined) {
    return [{ keys: nameless.keys, message: 'the first item must name a program, and comes to nothing' }];
  }
  const sum = words.reduce((total, { text }) => total + text.length, 0);
  return sum > MAX_FILLED ? [{ keys: ['run'], message: `comes to more than ${MAX_FILLED} characters with env` }] : [];
}

interface Word {
  keys: Keys;
  text: string;
}

/** All strings that may hold expressions, and where they stand. */
function wordsOf({ run, env, verify, evidence }: Worded): Word[] {
  const own: Word[] = [
    ...run.map((text, index) => ({ keys: ['run', index], text })),
    ...Object.entries(env).map(([name, text]) => ({ keys: ['env', name], text })),
    ...branchesOf(evidence),
  ];
  const ofVerify = verify ? wordsOf(verify) : [];
  return [...own, ...ofVerify.map(({ keys, text }) => ({ keys: ['verify', ...keys], text }))];
}

function branchesOf(evidence: TaskSpec['evidence']): Word[] {
  if (!evidence) return [];
  const { branch, base } = evidence;
  const named = { keys: ['evidence', 'branch'], text: branch };
  return base === null ? [named] : [named, { keys: ['evidence', 'base'], text: base }];
}
