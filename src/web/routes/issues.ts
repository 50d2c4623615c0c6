/** `/issues`: what a close or reopen of one would do, and why its tasks are where they are. */
import { type Context, Hono } from 'hono';
import { HttpError } from '../errors.ts';
import type { Insights } from '../ports.ts';
import { presentExplanation } from '../present/explanation.ts';
import { notFound, readQuery } from '../query.ts';
import { nothing } from '../schemas/requests.ts';

export function issueRoutes({ insights }: { insights: Insights }): Hono {
  const app = new Hono();

  app.get('/:owner/:repo/:number/explain', async (c) => {
    readQuery(c, nothing);
    const { repository, number } = readIssue(c);
    const explained = await insights.explainIssue(repository, number);
    if (explained.result === 'not_found') throw new HttpError('not_found', explained.message);
    return c.json(presentExplanation(explained));
  });

  return app;
}

/** A name or number that can't be one is not looked for. */
function readIssue(c: Context): { repository: string; number: number } {
  const repository = `${c.req.param('owner')}/${c.req.param('repo')}`;
  const number = c.req.param('number') ?? '';
  if (!/^[\w-]{1,100}\/[\w.-]{1,100}$/.test(repository) || !/^[1-9]\d{0,8}$/.test(number)) throw notFound();
  return { repository, number: Number(number) };
}
