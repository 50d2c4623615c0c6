/** Holds what goes to and from the stand-in GitHub against GitHub's own description. */
import type { ValidateFunction } from 'ajv';
import type { Check, SeenAnswer, SeenRequest, SeenWebhook } from '../../../src/demo/github/index.ts';
import { type Described, type Description, isObject, loadDescription, type Parameter } from './description.ts';
import { findUndeclared } from './undeclared.ts';

/**
 * What any operation may answer although few declare it: moved (301, 307 for writes), not modified, bad credentials, missing
 * permission or rate limit (403, 429), hidden or missing (404), deleted (410), invalid (422), and GitHub's own troubles.
 */
const STATUSES_OF_ANY_OPERATION = new Set([301, 304, 307, 400, 401, 403, 404, 410, 422, 429, 500, 502, 503]);

/** All checks of a test file share what has been loaded and compiled: that is what costs. */
let loaded: Description | undefined;
const validators = new Map<string, ValidateFunction>();

function description(): Description {
  loaded ??= loadDescription();
  return loaded;
}

export function makeOpenApiCheck(): Check {
  function validate(schema: Described, value: unknown, what: string): string[] {
    const compiled = validators.get(schema.pointer) ?? description().compile(schema);
    validators.set(schema.pointer, compiled);
    if (compiled(value)) return [];
    return (compiled.errors ?? []).map((error) => `${what}${error.instancePath} ${error.message}`);
  }

  function checkRequest({ method, operation, params, query, body }: SeenRequest): string[] {
    const described = description().operation(method, operation);
    if (described === undefined) return [`${method} ${operation} is not described`];
    const parameters = parametersOf(description(), described);
    const path = Object.entries(params).map(([name, text]) => ({ in: 'path' as const, name, text }));
    const asked = [...query].map(([name, text]) => ({ in: 'query' as const, name, text }));
    return [
      ...[...path, ...asked].flatMap((given) => checkParameter(parameters, given)),
      ...checkBody(described, body),
    ];
  }

  function checkParameter(
    parameters: Described[],
    given: { in: 'path' | 'query'; name: string; text: string },
  ): string[] {
    const found = parameters.find(({ value }) => value.in === given.in && value.name === given.name);
    const schema = found && description().child(found, 'schema');
    if (schema === undefined) return [`${given.in} parameter ${given.name} is not declared`];
    return validate(
      schema,
      readParameter(description().resolve(schema), given.text),
      `${given.in} parameter ${given.name}`,
    );
  }

  function checkBody(operation: Described, body: unknown): string[] {
    const requestBody = description().child(operation, 'requestBody');
    const schema = requestBody && description().child(requestBody, 'content', 'application/json', 'schema');
    if (body === undefined) return requestBody?.value.required === true ? ['the body is missing'] : [];
    // Octokit sends an empty object where an operation takes no body.
    if (schema === undefined) return isObject(body) && Object.keys(body).length === 0 ? [] : ['a body is not declared'];
    return [...validate(schema, body, 'body'), ...findUndeclared(description(), schema, body)];
  }

  function checkAnswer({ method, operation, status, body }: SeenAnswer): string[] {
    const described = description().operation(method, operation);
    const declared = described && description().child(described, 'responses', String(status));
    if (declared === undefined)
      return STATUSES_OF_ANY_OPERATION.has(status) ? [] : [`status ${status} is not declared`];
    const response = description().resolve(declared);
    const schema = description().child(response, 'content', 'application/json', 'schema');
    // Errors carry GitHub's usual body, declared or not.
    if (schema === undefined)
      return body === undefined || status >= 400 ? [] : [`a body with status ${status} is not declared`];
    return validate(schema, toWire(body), `answer ${status} `);
  }

  function checkWebhook({ event, action, payload }: SeenWebhook): string[] {
    const described = description().webhook(event, action);
    if (described === undefined) return ['this webhook is not described'];
    const schema = description().child(described, 'requestBody', 'content', 'application/json', 'schema');
    return schema ? validate(schema, toWire(payload), 'payload') : ['this webhook has no schema'];
  }

  return { request: checkRequest, answer: checkAnswer, webhook: checkWebhook };
}

function parametersOf(description: Description, operation: Described): Described[] {
  const list = (operation.value.parameters ?? []) as Parameter[];
  return list.flatMap((_, index) => {
    const parameter = description.child(operation, 'parameters', String(index));
    return parameter ? description.resolve(parameter) : [];
  });
}

/** Paths and queries are text; the description tells what the text stands for. */
function readParameter({ value: schema }: Described, text: string): unknown {
  const number = Number(text);
  if (schema.type === 'integer' && text !== '' && !Number.isNaN(number)) return number;
  if (schema.type === 'boolean' && /^(true|false)$/.test(text)) return text === 'true';
  return text;
}

function toWire(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}
