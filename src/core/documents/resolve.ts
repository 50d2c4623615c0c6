/** From a batch as it is written to one whose tasks have complete specs: templates looked up, inputs checked, expressions filled in. */
import { ATTENDED } from '../attended.ts';
import type { BatchDocument, DraftBatch, DraftTask, TaskEntry } from './batch.ts';
import { type ExpressionContext, fill } from './fill.ts';
import { type Matches, makeMatches } from './pattern.ts';
import { placeFindings, strayFindings, withoutStray } from './place.ts';
import { bounded, type Finding, listed, type Parsed, problemsOf, under } from './problem.ts';
import { complete, override } from './task.ts';
import { defaultFindings, type Template } from './template.ts';

export interface ResolveContext {
  /** `owner/name` */
  repository: string;
  issueUrl(number: number): string;
  /** Default: without any bound. */
  matches?: Matches;
}

/** `templates`: null where there is no repository's file. */
interface Ground {
  templates: ReadonlyMap<string, Template> | null;
  context: ResolveContext;
  matches: Matches;
}

/** A draft without `uses` needs no file. Problems have the document's paths, `tasks.train.with.lr`. Never throws. */
export function resolveBatch(
  draft: DraftBatch,
  file: { templates: ReadonlyMap<string, Template> } | null,
  context: ResolveContext,
): Parsed<BatchDocument> {
  const { tasks, findings } = resolveTasks(draft.tasks, file?.templates ?? null, context);
  if (findings.length > 0) return { ok: false, problems: bounded(problemsOf(findings)) };
  return { ok: true, value: { ...draft, tasks } };
}

/** Findings stand under `tasks`. */
export function resolveTasks(
  drafts: readonly DraftTask[],
  templates: ReadonlyMap<string, Template> | null,
  context: ResolveContext,
): { tasks: TaskEntry[]; findings: Finding[] } {
  const ground = { templates, context, matches: context.matches ?? makeMatches() };
  const tasks: TaskEntry[] = [];
  const findings: Finding[] = [];
  for (const draft of drafts) {
    const resolved = resolveTask(draft, ground);
    if ('findings' in resolved) findings.push(...under(['tasks', draft.key], resolved.findings));
    else tasks.push(resolved.task);
  }
  return { tasks, findings };
}

function resolveTask(draft: DraftTask, ground: Ground): { task: TaskEntry } | { findings: Finding[] } {
  const { key, issue, needs, uses } = draft;
  const used = uses === null ? null : (ground.templates?.get(uses) ?? null);
  if (uses !== null && used === null) return { findings: [unknownTemplate(uses, ground)] };
  const whole = merge(draft, used);
  if (whole === null) return { findings: [{ keys: ['uses'], message: 'is missing: must be the name of a template' }] };
  const filled = fill({ ...whole, spec: withoutStray(whole.spec) }, draft.with, {
    context: contextOf(draft, ground),
    matches: ground.matches,
  });
  const findings = [
    ...placeFindings(whole.spec),
    ...strayFindings(whole.spec.runsOn, draft.spec),
    ...defaultFindings(draft.inputs, ground.matches),
    ...(filled.ok ? [] : filled.findings.map(asWith)),
  ];
  if (!filled.ok || findings.length > 0) return { findings };
  const spec = used === null ? filled.spec : { ...filled.spec, template: used.key };
  const priority = draft.priority ?? used?.priority ?? 0;
  return { task: { key, name: draft.name ?? used?.name ?? key, issue, needs, priority, spec } };
}

/** null: neither says what to run. */
function merge({ spec: own, inputs }: DraftTask, used: Template | null): Pick<Template, 'spec' | 'inputs'> | null {
  if (used !== null) return { spec: override(used.spec, own), inputs: new Map([...used.inputs, ...inputs]) };
  const { runsOn, run = runsOn === ATTENDED ? [] : undefined } = own;
  return runsOn === undefined || run === undefined ? null : { spec: complete({ ...own, runsOn, run }), inputs };
}

function contextOf({ issue }: DraftTask, { context }: Ground): ExpressionContext {
  return {
    repository: context.repository,
    issue: issue === null ? null : { number: issue, url: context.issueUrl(issue) },
  };
}

function unknownTemplate(uses: string, { templates }: Ground): Finding {
  const message =
    templates === null
      ? `the repository has no .github/standdown.yml that could define the template ${uses}`
      : `no template is called ${uses}; there is: ${listed([...templates.keys()]) || 'none'}`;
  return { keys: ['uses'], message };
}

/** A task gives values for inputs by `with`. */
function asWith({ keys: [first, ...rest], message }: Finding): Finding {
  return { keys: [first === 'inputs' ? 'with' : first!, ...rest], message };
}
