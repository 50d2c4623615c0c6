import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseYaml, readRepositoryFile, repositoryFileJsonSchema } from '../../../src/core/documents/index.ts';
import { DEFAULT_POLICY } from '../../../src/core/policy.ts';

const docs = readFileSync(new URL('../../../docs/repository-file.md', import.meta.url), 'utf8');
const example = /```yaml\n([\s\S]*?)```/.exec(docs)![1]!;

interface Schema {
  properties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
  anyOf?: Schema[];
  not?: unknown;
  default?: unknown;
}

/** Every key that the schema takes, with `*` for names that people choose. */
function pathsOf(schema: Schema, path = ''): string[] {
  const at = path === '' ? '' : `${path}.`;
  const own = Object.entries(schema.properties ?? {})
    .filter(([, inner]) => inner.not === undefined)
    .flatMap(([key, inner]) => [`${at}${key}`, ...pathsOf(inner, `${at}${key}`)]);
  const named = typeof schema.additionalProperties === 'object' ? pathsOf(schema.additionalProperties, `${at}*`) : [];
  return [...own, ...named, ...(schema.anyOf ?? []).flatMap((inner) => pathsOf(inner, path))];
}

/** Of the tables: the first cell of each row, and the second. */
const documented = new Map(
  [...docs.matchAll(/^\| `([a-z_]+(?:\.\w+)*)` \| ([^|]*) \|/gm)].map(([, path, fallback]) => [
    path!.replaceAll(/\b(?:NAME|KEY|INPUT)\b/g, '*'),
    fallback!.replaceAll('`', ''),
  ]),
);

/** The page says once that a batch's task may hold every key of a template. */
const asTemplate = (path: string) => path.replace(/^batches\.\*\.tasks\.\*/, 'tasks.*');

describe("the page about the repository's file", () => {
  const paths = [...new Set(pathsOf(repositoryFileJsonSchema() as Schema))];

  it('documents every key of the schema', () => {
    expect(paths.length).toBeGreaterThan(60);
    expect(paths.filter((path) => !documented.has(path) && !documented.has(asTemplate(path)))).toEqual([]);
  });

  it('documents no key that the schema does not have', () => {
    expect([...documented.keys()].filter((path) => !paths.includes(path))).toEqual([]);
  });

  it('lets a task of a batch hold every key of a template', () => {
    const ofTemplates = paths.filter((path) => path.startsWith('tasks.*'));
    expect(ofTemplates.filter((path) => !paths.includes(`batches.*.${path}`))).toEqual([]);
  });

  it('has an example with every key, which is right', () => {
    expect(readRepositoryFile(example)).toMatchObject({ ok: true });
    const yaml = parseYaml(example);
    const used = new Set(keysOf(yaml.ok && yaml.value.value));
    expect(paths.filter((path) => !used.has(path) && !used.has(asTemplate(path)))).toEqual([]);
  });

  it('tells the policy that is in force without a file', () => {
    const { onClose, permissions } = DEFAULT_POLICY;
    const told = Object.fromEntries(
      [...documented].filter(([path]) => /^(?:policy|permissions)\..|^command/.test(path)),
    );
    expect(told).toMatchObject({
      ...Object.fromEntries(Object.entries(onClose).map(([reason, action]) => [`policy.on_close.${reason}`, action])),
      'policy.on_reopen': DEFAULT_POLICY.onReopen,
      'policy.reopen_window_days': String(DEFAULT_POLICY.reopenWindowDays),
      'policy.close_delay_seconds': String(DEFAULT_POLICY.closeDelaySeconds),
      'policy.notify': DEFAULT_POLICY.notify,
      'policy.max_requeues_per_hour': String(DEFAULT_POLICY.maxRequeuesPerHour),
      'policy.close_issue_on_done': String(DEFAULT_POLICY.closeIssueOnDone),
      ...Object.fromEntries(Object.entries(permissions).map(([verb, role]) => [`permissions.${verb}`, role])),
    });
  });
});

const NAMED = /^(?:tasks|batches|tasks\.\*\.inputs|batches\.\*\.tasks)$/;
const OPAQUE = /\.(?:env|with)$/;

/** Every key of the example, names replaced as in `pathsOf`. */
function keysOf(value: unknown, path = ''): string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || OPAQUE.test(path)) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    const at = `${path === '' ? '' : `${path}.`}${NAMED.test(path) ? '*' : key}`;
    return [at, ...keysOf(inner, at)];
  });
}
