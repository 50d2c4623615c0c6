/** Holds what the app answers over HTTP against its own description: an undeclared status, or a body of another shape, fails. */
import type { ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { openApiDocument } from '../../src/web/openapi/document.ts';

export interface SeenAnswer {
  method: string;
  /** With its query, if any. */
  path: string;
  status: number;
  contentType: string | null;
  /** Parsed where it is JSON. */
  body: unknown;
}

interface Response {
  content: Record<string, { schema: object }>;
}
type Paths = Record<string, Record<string, { responses: Record<string, Response> }>>;

/** Of a path or method that there is none of. */
const STATUSES_OF_NOTHING = [401, 403, 404, 405];

const document = openApiDocument();
const paths = document.paths as Paths;
const ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false });
formats.default(ajv);
ajv.addSchema(document, 'rest');
const validators = new Map<string, ValidateFunction>();

/** Throws, naming what contradicts the description. */
export function checkAnswer(answer: SeenAnswer): void {
  const violations = violationsOf(answer);
  if (violations.length === 0) return;
  const { method, path, status, body } = answer;
  const text = JSON.stringify(body)?.slice(0, 2_000);
  throw new Error(`${method} ${path} answered ${status} against its description: ${violations.join('; ')}\n${text}`);
}

export function violationsOf({ method, path, status, contentType, body }: SeenAnswer): string[] {
  // What a HEAD would answer is told without its body.
  if (method === 'HEAD') return [];
  const responses = operationOf(method, path.split('?')[0]!)?.responses;
  if (responses === undefined) {
    const declared = STATUSES_OF_NOTHING.includes(status) ? [] : [`status ${status} of what is not described`];
    return [...declared, ...validate('#/components/schemas/error', body)];
  }
  const response = responses[status];
  if (response === undefined) return [`status ${status} is not declared`];
  const type = contentType?.split(';')[0]?.trim() ?? '';
  const media = response.content[type];
  if (media === undefined) return [`the type ${type || 'of nothing'} is not declared`];
  return '$ref' in media.schema ? validate(String(media.schema.$ref), body) : [];
}

/** What is written out goes before what has parameters. */
function operationOf(method: string, path: string) {
  const templates = Object.keys(paths).filter((template) => matches(template, path));
  const [best] = templates.toSorted((a, b) => a.split('{').length - b.split('{').length);
  return best === undefined ? undefined : paths[best]?.[method.toLowerCase()];
}

function matches(template: string, path: string): boolean {
  const parts = template.split('/');
  const given = path.split('/');
  return parts.length === given.length && parts.every((part, index) => part.startsWith('{') || part === given[index]);
}

function validate(pointer: string, body: unknown): string[] {
  const validator = validators.get(pointer) ?? ajv.compile({ $ref: `rest${pointer}` });
  validators.set(pointer, validator);
  if (validator(body)) return [];
  return (validator.errors ?? []).map(({ instancePath, message }) => `${instancePath || 'the body'} ${message}`);
}
