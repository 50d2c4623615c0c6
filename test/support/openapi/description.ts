/**
 * GitHub's own OpenAPI description (a committed cut of it), turned into JSON Schema and compiled piece by piece when first
 * used. OpenAPI 3.0 says `nullable` where JSON Schema has a type or an alternative.
 */
import { readFileSync } from 'node:fs';
import { Ajv, type ValidateFunction } from 'ajv';
import formats from 'ajv-formats';

export type Json = Record<string, unknown>;

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  schema: Json;
}

export interface Described {
  /** Where the object is in the document: `#/paths/…`. */
  pointer: string;
  value: Json;
}

export interface Description {
  /** undefined: GitHub describes no such operation. */
  operation: (method: string, path: string) => Described | undefined;
  webhook: (event: string, action: string | null) => Described | undefined;
  /** Follows `$ref`s until there is none. */
  resolve: (described: Described) => Described;
  child: (described: Described, ...keys: string[]) => Described | undefined;
  /** The validator of the schema at that place. */
  compile: (described: Described) => ValidateFunction;
}

const CUT = new URL('../../fixtures/openapi/github.json', import.meta.url);

export function loadDescription(): Description {
  const document = toJsonSchema(mend(JSON.parse(readFileSync(CUT, 'utf8')))) as Json;
  const ajv = makeAjv(document);

  function at(pointer: string): Described | undefined {
    const keys = pointer.slice(2).split('/').map(unescapeKey);
    const value = keys.reduce<unknown>((parent, key) => (parent as Json | undefined)?.[key], document);
    return isObject(value) ? { pointer, value } : undefined;
  }

  function child(described: Described, ...keys: string[]): Described | undefined {
    return at([described.pointer, ...keys.map(escapeKey)].join('/'));
  }

  function resolve(described: Described): Described {
    const { $ref } = described.value;
    const target = typeof $ref === 'string' ? at($ref) : undefined;
    return target ? resolve(target) : described;
  }

  return {
    operation: (method, path) => at(`#/paths/${escapeKey(path)}/${method.toLowerCase()}`),
    webhook: (event, action) => at(`#/x-webhooks/${webhookName(event, action)}/post`),
    resolve,
    child,
    compile: ({ pointer }) => ajv.compile({ $ref: `github${pointer}` }),
  };
}

/**
 * Where GitHub's description is wrong about GitHub: its listing of installations alone repeats their schema by hand, and says
 * that an account is a user and an enterprise at once, which none can be. And where webhooks list the events of an App, they
 * leave out the newer ones.
 */
function mend(document: Json): Json {
  const listing = ['paths', '/app/installations', 'get', 'responses', '200', 'content', 'application/json', 'schema'];
  const schema = listing.reduce<unknown>((parent, key) => (parent as Json | undefined)?.[key], document);
  if (isObject(schema)) schema.items = { $ref: '#/components/schemas/installation' };
  addMissingEvents(document);
  return document;
}

function addMissingEvents(value: unknown): void {
  if (Array.isArray(value) && value.includes('issue_comment')) value.push('issue_dependencies', 'installation_target');
  else if (typeof value === 'object' && value !== null) Object.values(value).forEach(addMissingEvents);
}

function webhookName(event: string, action: string | null): string {
  return [event, action]
    .filter((part) => part !== null)
    .join('-')
    .replaceAll('_', '-');
}

function makeAjv(document: Json): Ajv {
  const ajv = new Ajv({ strict: false, allErrors: true, logger: false, validateSchema: false });
  formats.default(ajv);
  ajv.addSchema(document, 'github');
  return ajv;
}

function toJsonSchema(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toJsonSchema);
  if (!isObject(value)) return value;
  const { nullable, discriminator: _, ...rest } = value;
  const schema = Object.fromEntries(Object.entries(rest).map(([key, item]) => [key, toJsonSchema(item)]));
  // A property may be called `nullable`; only the keyword is a boolean.
  if (typeof nullable === 'object') return { ...schema, nullable: toJsonSchema(nullable) };
  return nullable === true ? orNull(schema) : schema;
}

function orNull(schema: Json): Json {
  if (typeof schema.type !== 'string') return { anyOf: [schema, { type: 'null' }] };
  const values = Array.isArray(schema.enum) ? { enum: [...new Set([...schema.enum, null])] } : {};
  return { ...schema, ...values, type: [schema.type, 'null'] };
}

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function escapeKey(key: string): string {
  return encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'));
}

function unescapeKey(key: string): string {
  return decodeURIComponent(key).replaceAll('~1', '/').replaceAll('~0', '~');
}
