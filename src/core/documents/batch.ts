/** The batch document: YAML for the CLI, the same as JSON for REST. Text and keys in, a checked document or all problems out. */
import { z } from 'zod';
import { asMapping, strict } from './check.ts';
import { name, repository } from './fields.ts';
import type { Inputs } from './input.ts';
import { inspect } from './inspect.ts';
import { needsFindings } from './needs.ts';
import { type Finding, type Keys, type Locate, type Parsed, problemsOf } from './problem.ts';
import type { TaskSpec } from './spec.ts';
import { missingProgram, type OwnSpec, ownInputs, task, toOwnSpec } from './task.ts';

/** A task of a batch document. */
export interface TaskEntry {
  key: string;
  name: string;
  issue: number | null;
  needs: readonly string[];
  priority: number;
  spec: TaskSpec;
}

/** With complete specs, without expressions: made of a draft by `resolveBatch`. */
export interface BatchDocument {
  /** `owner/name` */
  repository: string;
  name: string;
  strategy: 'serial' | 'parallel';
  /** 1 where the strategy is `serial`, whatever was given. */
  maxParallel: number;
  onFailure: 'continue' | 'stop';
  /** In the document's order (keys that are whole numbers come first, in rising order). */
  tasks: readonly TaskEntry[];
}

/** As it is written: it may use a template, which is looked up in the repository's file, and hold expressions. */
export interface DraftTask extends Pick<TaskEntry, 'key' | 'issue' | 'needs'> {
  /** null: its template's, or its key. */
  name: string | null;
  /** null: its template's, or 0. */
  priority: number | null;
  /** Key of a template; null: none, and its own spec names runner and program. */
  uses: string | null;
  with: Readonly<Record<string, string>>;
  /** Its own, which come over those of its template. */
  inputs: Inputs;
  spec: OwnSpec;
}

/** A batch document as it is written. */
export interface DraftBatch extends Omit<BatchDocument, 'tasks'> {
  tasks: readonly DraftTask[];
}

export const MAX_TASKS = 10_000;
/** A hundred for each task that there may be. */
const MAX_VALUES = 1_000_000;

/** Of a batch document and of a batch in the repository's file. */
const body = {
  strategy: z.enum(['serial', 'parallel']).default('parallel'),
  max_parallel: z.int().min(1).max(MAX_TASKS).default(4).describe('How many of its tasks run at once; serial: 1.'),
  on_failure: z
    .enum(['continue', 'stop'])
    .default('continue')
    .describe('Whether a failed task keeps others from starting.'),
  tasks: z.record(name, task).meta({ minProperties: 1, maxProperties: MAX_TASKS }),
};

const batch = strict({ repository, name, ...body });

/** As the repository's file has it: repository and name are known. */
export const namedBatch = strict(body);

/** Never throws, whatever the value; `locate` adds line and column to the problems. */
export function parseBatchDocument(value: unknown, locate?: Locate): Parsed<DraftBatch> {
  const tooLarge = sizeFindings(value);
  if (tooLarge.length > 0) return { ok: false, problems: problemsOf(tooLarge, locate) };
  const parsed = inspect(batch, value, {
    mayHoldExpressions,
    maxValues: MAX_VALUES,
    findings: () => tasksFindings(value),
    locate,
  });
  if (!parsed.ok) return parsed;
  return { ok: true, value: { repository: parsed.value.repository, ...toDraft(parsed.value.name, parsed.value) } };
}

/** JSON Schema (draft 2020-12) of what `parseBatchDocument` takes; what lies between tasks it can't tell. */
export function batchDocumentJsonSchema(): Record<string, unknown> {
  return { title: 'Standdown batch document', ...z.toJSONSchema(batch, { io: 'input' }) };
}

const WITH_EXPRESSIONS: readonly (PropertyKey | undefined)[] = ['run', 'env', 'evidence'];

/** Whether these keys of a batch lead to an item of `run` or a value of `env`, of a task or of its `verify`, or to a branch of its `evidence`. */
export function mayHoldExpressions([tasks, _key, ...within]: Keys): boolean {
  const [field, _item, ...deeper] = within[0] === 'verify' ? within.slice(1) : within;
  return tasks === 'tasks' && WITH_EXPRESSIONS.includes(field) && deeper.length === 0;
}

/** What lies between the fields of a batch, and between its tasks. */
export function tasksFindings(batchValue: unknown): Finding[] {
  const tasks = asMapping(asMapping(batchValue)?.tasks);
  if (tasks === null) return [];
  if (Object.keys(tasks).length === 0) return [{ keys: ['tasks'], message: 'must have at least one task' }];
  return [...programFindings(tasks), ...needsFindings(tasks)];
}

export function toDraft(batchName: string, given: z.output<typeof namedBatch>): Omit<DraftBatch, 'repository'> {
  return {
    name: batchName,
    strategy: given.strategy,
    maxParallel: given.strategy === 'serial' ? 1 : given.max_parallel,
    onFailure: given.on_failure,
    tasks: Object.entries(given.tasks).map(([key, entry]) => ({
      key,
      name: entry.name ?? null,
      issue: entry.issue ?? null,
      needs: entry.needs,
      priority: entry.priority ?? null,
      uses: entry.uses ?? null,
      with: entry.with ?? {},
      inputs: ownInputs(entry),
      spec: toOwnSpec(entry),
    })),
  };
}

/** Looked at first: nothing else is worth telling of a document that is too large. */
function sizeFindings(value: unknown): Finding[] {
  const count = Object.keys(asMapping(asMapping(value)?.tasks) ?? {}).length;
  return count > MAX_TASKS ? [{ keys: ['tasks'], message: `must be at most ${MAX_TASKS} tasks, not ${count}` }] : [];
}

/** Of tasks whose key is right: nothing else is told of one whose key is not. */
function programFindings(tasks: Readonly<Record<string, unknown>>): Finding[] {
  return Object.entries(tasks).flatMap(([key, value]) => {
    const entry = asMapping(value);
    if (entry === null || !name.safeParse(key).success) return [];
    return missingProgram(entry).map((missing) => ({ keys: ['tasks', key, missing.key], message: missing.message }));
  });
}
