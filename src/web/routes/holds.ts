/** `/holds`: what keeps everything, a repository or a runner from starting anything. */
import { Hono } from 'hono';
import { formatProblem, type Problem } from '../../core/documents/index.ts';
import type { Clock } from '../../engine/ports.ts';
import { readObject } from '../body.ts';
import { HttpError } from '../errors.ts';
import { type Actions, API_ACTOR, type Reads } from '../ports.ts';
import { readQuery } from '../query.ts';
import { holdBody, releaseBody } from '../schemas/hold.ts';
import { nothing } from '../schemas/requests.ts';
import { viewHolds } from '../views.ts';

export function holdRoutes({ actions, reads, clock }: { actions: Actions; reads: Reads; clock: Clock }): Hono {
  const app = new Hono();

  app.get('/', async (c) => {
    readQuery(c, nothing);
    return c.json({ items: await viewHolds(reads, await reads.holds(), clock()), next: null });
  });

  app.post('/', async (c) => {
    const { reason = null, ...scope } = await readObject(c, holdBody);
    const held = await actions.setHold(scope, { reason, actor: API_ACTOR });
    if (held.result === 'unknown') throw unknownScope(held.problem);
    const [view] = await viewHolds(reads, [held.hold], clock());
    return c.json(view!, 201);
  });

  app.post('/release', async (c) => {
    const released = await actions.releaseHold(await readObject(c, releaseBody), { actor: API_ACTOR });
    if (released.result === 'unknown') throw unknownScope(released.problem);
    if (released.result === 'none') throw new HttpError('not_found', 'there is no hold of that scope');
    return c.json({ released: true }, 200);
  });

  return app;
}

function unknownScope(problem: Problem): HttpError {
  return new HttpError('bad_request', formatProblem(problem), { problems: [problem] });
}
