import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';

const ROOT = join(import.meta.dirname, '../..');
const CALL = /(?:GET|POST|PATCH|PUT|DELETE) \/[\w{}/-]*/;

const manifest = z
  .object({
    public: z.literal(false),
    default_permissions: z.record(z.string(), z.enum(['read', 'write'])),
    default_events: z.array(z.string()),
  })
  .parse(parse(readFileSync(join(ROOT, 'app.yml'), 'utf8')));

const rows = tableRows(readFileSync(join(ROOT, 'docs/permissions.md'), 'utf8'));
const calls = rows.filter(({ name }) => CALL.test(name));
const events = rows.filter(({ name }) => !CALL.test(name));

function tableRows(text: string): { name: string; permission: string }[] {
  return [...text.matchAll(/^\| `([^`]+)` \| ([^|]+) \|/gm)].map(([, name = '', permission = '']) => ({
    name,
    permission: permission.trim(),
  }));
}

function callsInSource(): string[] {
  const folder = join(ROOT, 'src/github');
  const found = readdirSync(folder).flatMap((file) => {
    const text = readFileSync(join(folder, file), 'utf8');
    return [...text.matchAll(new RegExp(`'(${CALL.source})'`, 'g'))].map(([, call = '']) => call);
  });
  return [...new Set(found)].sort();
}

test('every call of the adapter is in the table, and every call of the table is made', () => {
  expect(callsInSource().length).toBeGreaterThan(5);
  expect(calls.map(({ name }) => name).sort()).toEqual(callsInSource());
});

test('every event that is asked for is in the table, and every event of the table is asked for', () => {
  expect(events.map(({ name }) => name).sort()).toEqual([...manifest.default_events].sort());
});

test('app.yml asks for exactly what the table adds up to', () => {
  const needed = new Map<string, string>();
  for (const { permission } of rows) {
    const [name = '', level] = permission.split(': ');
    if (permission !== 'none' && needed.get(name) !== 'write') needed.set(name, level ?? '');
  }
  expect(manifest.default_permissions).toEqual(Object.fromEntries(needed));
});

test('app.yml gives a reason for every permission and event', () => {
  const lines = readFileSync(join(ROOT, 'app.yml'), 'utf8').split('\n');
  const asked = lines.flatMap((line, index) => (/^ {2}(\w+: (read|write)|- \w+)$/.test(line) ? [index] : []));
  expect(asked).toHaveLength(Object.keys(manifest.default_permissions).length + manifest.default_events.length);
  for (const index of asked) expect(lines[index - 1]).toMatch(/^ {2}# /);
});
