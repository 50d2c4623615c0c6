/** Finds keys that a schema does not declare. GitHub's schemas seldom forbid them, so that validating alone never would. */
import { type Described, type Description, isObject } from './description.ts';

export function findUndeclared(description: Description, schema: Described, value: unknown, path = 'body'): string[] {
  const shapes = shapesOf(description, schema);
  if (Array.isArray(value)) {
    const items = shapes.flatMap((shape) => description.child(shape, 'items') ?? []);
    return value.flatMap((item, index) => findInAny(description, items, item, `${path}[${index}]`));
  }
  if (!isObject(value) || shapes.some(isOpen)) return [];
  return Object.entries(value).flatMap(([key, item]) => {
    const declared = shapes.flatMap((shape) => description.child(shape, 'properties', key) ?? []);
    if (declared.length === 0) return [`${path}.${key} is not declared`];
    return findInAny(description, declared, item, `${path}.${key}`);
  });
}

/** An alternative that declares everything is enough. */
function findInAny(description: Description, schemas: Described[], value: unknown, path: string): string[] {
  const findings = schemas.map((schema) => findUndeclared(description, schema, value, path));
  return findings.reduce((least, found) => (found.length < least.length ? found : least), findings[0] ?? []);
}

/** The schema and what it is put together from. */
function shapesOf(description: Description, schema: Described): Described[] {
  const resolved = description.resolve(schema);
  const parts = ['allOf', 'anyOf', 'oneOf'].flatMap((key) => {
    const list = resolved.value[key];
    return Array.isArray(list) ? list.map((_, index) => description.child(resolved, key, String(index))) : [];
  });
  return [resolved, ...parts.flatMap((part) => (part ? shapesOf(description, part) : []))];
}

function isOpen({ value }: Described): boolean {
  return value.additionalProperties === true || isObject(value.additionalProperties);
}
