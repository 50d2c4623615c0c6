/** What people may start by name: a task whose words hold expressions, and the inputs that they take. */
import type { z } from 'zod';
import { type ExpressionContext, expressionFindings, fill } from './fill.ts';
import { type Inputs, valueProblem } from './input.ts';
import { MATCHING_OF_A_TEXT, type Matches, makeMatches } from './pattern.ts';
import { placeFindings, strayFindings } from './place.ts';
import { type Finding, type Parsed, problemsOf } from './problem.ts';
import type { TaskSpec } from './spec.ts';
import { complete, ownInputs, type template, toOwnSpec } from './task.ts';

export interface Template {
  /** Its key in the file. */
  key: string;
  /** For people. */
  name: string;
  priority: number;
  /** With its expressions as they stand. */
  spec: TaskSpec;
  inputs: Inputs;
}

export interface Instance {
  name: string;
  priority: number;
  /** Without expressions; `template` names where it comes from. */
  spec: TaskSpec;
}

/** The template's spec with the values of its inputs. Problems stand under `inputs.NAME`, `issue`, `run[0]`, `env.NAME`, `verify` or `evidence`. Never throws. */
export function instantiate(
  template: Template,
  given: Readonly<Record<string, string>>,
  context: ExpressionContext,
): Parsed<Instance> {
  const filled = fill(template, given, { context, matches: makeMatches(MATCHING_OF_A_TEXT) });
  if (!filled.ok) return { ok: false, problems: problemsOf(filled.findings) };
  const { name, priority, key } = template;
  return { ok: true, value: { name, priority, spec: { ...filled.spec, template: key } } };
}

export function toTemplate(key: string, given: z.output<typeof template>): Template {
  const spec = complete({ ...toOwnSpec(given), runsOn: given.runs_on, run: given.run ?? [] });
  return { key, name: given.name ?? key, priority: given.priority ?? 0, spec, inputs: ownInputs(given) };
}

/** What can be told of a template before anybody starts it: expressions that name nothing, defaults that would be refused. */
export function templateFindings({ spec, inputs }: Pick<Template, 'spec' | 'inputs'>, matches: Matches): Finding[] {
  return [
    ...placeFindings(spec),
    ...strayFindings(spec.runsOn, spec),
    ...expressionFindings(spec, inputs),
    ...defaultFindings(inputs, matches),
  ];
}

export function defaultFindings(inputs: Inputs, matches: Matches): Finding[] {
  return [...inputs].flatMap(([name, input]) => {
    const message = input.default === null ? null : valueProblem(input, input.default, matches);
    return message === null ? [] : [{ keys: ['inputs', name, 'default'], message }];
  });
}
