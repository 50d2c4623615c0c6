/** `/repositories`: whether each can be reached, and how old what is known of its issues is. */
import { Hono } from 'hono';
import type { Clock } from '../../engine/ports.ts';
import type { Reads } from '../ports.ts';
import { presentRepository } from '../present/repository.ts';
import { readQuery } from '../query.ts';
import { repositoriesQuery } from '../schemas/requests.ts';

export function repositoryRoutes({ reads, clock }: { reads: Reads; clock: Clock }): Hono {
  const app = new Hono();

  app.get('/', async (c) => {
    const { repository, ...query } = readQuery(c, repositoriesQuery);
    const found = repository === undefined ? undefined : await reads.repositoryByName(repository);
    if (found === null) return c.json({ items: [], next: null });
    const page = await reads.queries.repositoryStates({ ...query, ...(found && { id: found.id }) });
    const now = clock();
    return c.json({ items: page.items.map((state) => presentRepository(state, now)), next: page.next });
  });

  return app;
}
