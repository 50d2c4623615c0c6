/** What ends a commit: a guard that does not hold is an expected answer, a row that is missing or there twice is a mistake. */
import type { Tables } from '../database.ts';

/** Never leaves `commit`. */
export class GuardFailed extends Error {
  override readonly name = 'GuardFailed';
}

export function guard(holds: boolean): asserts holds {
  if (!holds) throw new GuardFailed();
}

/** What a database's foreign keys and unique indexes refuse. */
export function insist(holds: boolean, problem: string): asserts holds {
  if (!holds) throw new Error(problem);
}

export function insistOnRepository({ repositories }: Tables, id: string): void {
  insist(repositories.has(id), `no repository ${id}`);
}
