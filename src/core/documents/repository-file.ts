/** The repository's own file, `.github/standdown.yml`: what may be started by name, and what closes, reopens and people may do. */
import { z } from 'zod';
import { DEFAULT_POLICY, type Policy } from '../policy.ts';
import { type DraftBatch, mayHoldExpressions, namedBatch, tasksFindings, toDraft } from './batch.ts';
import { asMapping, strict } from './check.ts';
import { name } from './fields.ts';
import { inspect } from './inspect.ts';
import { MATCHING_OF_A_TEXT, makeMatches } from './pattern.ts';
import { bounded, type Finding, type Keys, type Locate, type Parsed, problemsOf, under } from './problem.ts';
import { commandPrefix, permissions, policy, toPolicy } from './repository-policy.ts';
import { resolveTasks } from './resolve.ts';
import { missingRun, template } from './task.ts';
import { type Template, templateFindings, toTemplate } from './template.ts';
import { parseYaml } from './yaml.ts';

export interface RepositoryFile {
  templates: ReadonlyMap<string, Template>;
  /** By their names; `repository` is the file's own. */
  batches: ReadonlyMap<string, Omit<DraftBatch, 'repository'>>;
  /** Before the operator's floor. */
  policy: Policy;
}

/** Of text: ten times what a real one has. It bounds what reading costs, which grows with the text. */
export const MAX_FILE_CHARACTERS = 65_536;

/** Of its YAML. A text with more of them is not written by anybody for anybody. */
const MAX_TOKENS = 32_000;

/** Aliases make much of little text, and so do templates. */
const MAX_VALUES = 20_000;

const EMPTY: RepositoryFile = { templates: new Map(), batches: new Map(), policy: DEFAULT_POLICY };

const schema = strict({
  tasks: z.record(name, template).optional().describe('Templates that people may start by name.'),
  batches: z.record(name, namedBatch).optional().describe('Batches that people may start by name.'),
  policy: policy.optional(),
  permissions: permissions.optional(),
  command_prefix: commandPrefix.optional(),
});

/** From YAML text, with line and column in each problem. Never throws. */
export function readRepositoryFile(text: string): Parsed<RepositoryFile> {
  if (text.length > MAX_FILE_CHARACTERS) {
    const message = `must be at most ${MAX_FILE_CHARACTERS} characters, not ${text.length}`;
    return { ok: false, problems: [{ path: '', message }] };
  }
  const source = parseYaml(text, MAX_TOKENS);
  return source.ok ? parseRepositoryFile(source.value.value, source.value.locate) : source;
}

/** An empty file says nothing: no templates, no batches, the default policy. Never throws. */
export function parseRepositoryFile(value: unknown, locate?: Locate): Parsed<RepositoryFile> {
  if (value === null || value === undefined) return { ok: true, value: EMPTY };
  const shape = inspect(schema, value, {
    mayHoldExpressions: mayHold,
    maxValues: MAX_VALUES,
    findings: () => [...templatesFindings(value), ...batchesFindings(value)],
    locate,
  });
  if (!shape.ok) return shape;
  const file = toFile(shape.value);
  const findings = meaningFindings(file);
  if (findings.length > 0) return { ok: false, problems: bounded(problemsOf(findings, locate)) };
  return { ok: true, value: file };
}

/** The batch that the file has under this name; null: none. */
export function batchOf(file: RepositoryFile, batchName: string, repository: string): DraftBatch | null {
  const found = file.batches.get(batchName);
  return found === undefined ? null : { repository, ...found };
}

/** JSON Schema (draft 2020-12) of what `parseRepositoryFile` takes; what expressions name, and what lies between tasks, it can't tell. */
export function repositoryFileJsonSchema(): Record<string, unknown> {
  return { title: "Standdown repository's file", ...z.toJSONSchema(schema, { io: 'input' }) };
}

function mayHold(keys: Keys): boolean {
  return mayHoldExpressions(keys[0] === 'batches' ? keys.slice(2) : keys);
}

/** Of templates whose key is right: nothing else is told of one whose key is not. */
function templatesFindings(value: unknown): Finding[] {
  return Object.entries(asMapping(asMapping(value)?.tasks) ?? {}).flatMap(([key, entry]) => {
    const given = name.safeParse(key).success ? asMapping(entry) : null;
    return given === null ? [] : under(['tasks', key], missingRun(given));
  });
}

function batchesFindings(value: unknown): Finding[] {
  const batches = Object.entries(asMapping(asMapping(value)?.batches) ?? {});
  return batches.flatMap(([key, batch]) => under(['batches', key], tasksFindings(batch)));
}

function toFile(given: z.output<typeof schema>): RepositoryFile {
  return {
    templates: new Map(Object.entries(given.tasks ?? {}).map(([key, entry]) => [key, toTemplate(key, entry)])),
    batches: new Map(Object.entries(given.batches ?? {}).map(([key, entry]) => [key, toDraft(key, entry)])),
    policy: toPolicy(given),
  };
}

/** What would be found at the start of something is found when the file is read. */
function meaningFindings({ templates, batches }: RepositoryFile): Finding[] {
  const matches = makeMatches(MATCHING_OF_A_TEXT);
  // Any name will do: only what is wrong is looked for.
  const context = {
    repository: 'owner/name',
    issueUrl: (number: number) => `https://github.com/owner/name/issues/${number}`,
    matches,
  };
  const ofTemplates = [...templates].flatMap(([key, one]) => under(['tasks', key], templateFindings(one, matches)));
  if (ofTemplates.length > 0) return ofTemplates;
  if (wordsOfUses({ templates, batches }) > MAX_VALUES) {
    return [
      { keys: ['batches'], message: `must come to at most ${MAX_VALUES} values, with the templates that they use` },
    ];
  }
  return [...batches].flatMap(([key, { tasks }]) =>
    under(['batches', key], resolveTasks(tasks, templates, context).findings),
  );
}

/** Of the templates, each as often as it is used. */
function wordsOfUses({ templates, batches }: Pick<RepositoryFile, 'templates' | 'batches'>): number {
  const wordsOf = (stage: Pick<Template['spec'], 'run' | 'env'>) => stage.run.length + Object.keys(stage.env).length;
  const sizeOf = ({ spec, inputs }: Template) => wordsOf(spec) + (spec.verify ? wordsOf(spec.verify) : 0) + inputs.size;
  const sizes = new Map([...templates].map(([key, one]) => [key, sizeOf(one)]));
  const used = [...batches.values()].flatMap(({ tasks }) => tasks.map(({ uses }) => sizes.get(uses ?? '') ?? 0));
  return used.reduce((sum, size) => sum + size, 0);
}
