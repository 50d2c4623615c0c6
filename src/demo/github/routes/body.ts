/** Reads what GitHub demands of a request's body; anything else is its 422. */
import { type FieldError, validationFailed } from '../http/answer.ts';

const LONGEST_BODY = 65_536;

export type Fields = Readonly<Record<string, unknown>>;

export function readFields(body: unknown, resource: string): Fields {
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body as Fields;
  throw validationFailed({ resource, field: 'data', code: 'invalid' });
}

/** A text that must be there and say something. */
export function readText(fields: Fields, field: string, resource: string): string {
  const value = fields[field];
  if (typeof value !== 'string' || value.trim() === '') throw invalid(resource, field, 'missing_field');
  return checkLength(value, field, resource);
}

export function readOptionalText(fields: Fields, field: string, resource: string): string | null | undefined {
  const value = fields[field];
  if (value === undefined || value === null) return value;
  if (typeof value !== 'string') throw invalid(resource, field, 'invalid');
  return checkLength(value, field, resource);
}

export function readOneOf<T extends string>(
  value: unknown,
  accepted: readonly T[],
  where: Omit<FieldError, 'code'>,
): T {
  const found = accepted.find((one) => one === value);
  if (found === undefined) throw validationFailed({ ...where, code: 'invalid' });
  return found;
}

function checkLength(value: string, field: string, resource: string): string {
  if (value.length <= LONGEST_BODY) return value;
  throw validationFailed({
    resource,
    field,
    code: 'custom',
    message: `${field} is too long (maximum is ${LONGEST_BODY} characters)`,
  });
}

function invalid(resource: string, field: string, code: string) {
  return validationFailed({ resource, field, code });
}
