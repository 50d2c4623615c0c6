import { join, raw, sqltag as sql } from '@prisma/client/runtime/client';
import type { Task } from '../../core/task.ts';
import type { Statements } from '../database.ts';
import { inPortions } from '../many-rows.ts';
import { toTaskRow } from '../rows/task.ts';

/**
 * A batch has up to ten thousand, and on SQLite whoever else writes waits until all are there: Prisma's own `create` takes
 * ten times as long.
 */
export async function insertTasks(tx: Statements, tasks: readonly Task[]): Promise<void> {
  for (const portion of inPortions(tasks)) {
    const rows = portion.map((task) => toTaskRow(task));
    const columns = Object.keys(rows[0]!).map(columnOf).join(', ');
    const values = rows.map((row) => sql`(${join(Object.values(row))})`);
    await tx.$executeRaw(sql`INSERT INTO tasks (${raw(columns)}) VALUES ${join(values)}`);
  }
}

function columnOf(field: string): string {
  return field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
