/** Everything that can be told of a document at once: what its schema says, and what no schema can see. */
import type { z } from 'zod';
import { check } from './check.ts';
import { bounded, type Finding, type Locate, type Parsed, problemsOf } from './problem.ts';
import { type Walk, walk } from './walk.ts';

export interface Inspection extends Walk {
  /** Besides. */
  findings(): readonly Finding[];
  locate: Locate | undefined;
}

export function inspect<S extends z.ZodType>(schema: S, value: unknown, how: Inspection): Parsed<z.output<S>> {
  const { findings, tooCostly } = walk(value, how);
  if (tooCostly !== null) return { ok: false, problems: problemsOf([tooCostly], how.locate) };
  const shape = check(schema, value, how.locate);
  const walked = problemsOf(findings, how.locate);
  const told = new Set(walked.map(({ path }) => path));
  const problems = [
    ...(shape.ok ? [] : shape.problems.filter(({ path }) => !told.has(path))),
    ...walked,
    ...problemsOf(how.findings(), how.locate),
  ];
  if (shape.ok && problems.length === 0) return shape;
  return { ok: false, problems: bounded(problems) };
}
