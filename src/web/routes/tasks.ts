/** `/tasks`: list, show, log, and what a person may do with one. */
import { type Context, Hono } from 'hono';
import { VERBS } from '../../core/command.ts';
import { readObject } from '../body.ts';
import { conflict } from '../errors.ts';
import { type Actions, API_ACTOR, type TaskResult } from '../ports.ts';
import { readId, readQuery, unknown } from '../query.ts';
import { linkBody, logQuery, tasksQuery, VERB_BODIES } from '../schemas/requests.ts';
import { type Sources, viewTask, viewTasks } from '../views.ts';

export function taskRoutes({ actions, ...sources }: Sources & { actions: Actions }): Hono {
  const { reads } = sources;
  const app = new Hono();

  app.get('/', async (c) => {
    const { repository, issue, ...query } = readQuery(c, tasksQuery);
    const found = repository === undefined ? undefined : await reads.repositoryByName(repository);
    if (found === null) return c.json({ items: [], next: null });
    const page = await reads.queries.tasks({
      ...query,
      ...(found && { repositoryId: found.id }),
      ...(issue !== undefined && { issueNumber: issue }),
    });
    return c.json({ items: await viewTasks(sources, page.items), next: page.next });
  });

  app.get('/:id', async (c) => {
    const id = readId(c, 'task');
    const task = await reads.task(id);
    if (task === null) throw unknown('task', id);
    return c.json(await viewTask(sources, task));
  });

  app.get('/:id/log', async (c) => {
    const id = readId(c, 'task');
    const log = await actions.taskLog(id, readQuery(c, logQuery).tail);
    if (log === null) throw unknown('task', id);
    return c.text(log);
  });

  for (const verb of VERBS) {
    app.post(`/:id/${verb}`, async (c) => {
      const id = readId(c, 'task');
      // Each takes one text at most: a reason, a question, an answer.
      const [text] = Object.values(await readObject(c, VERB_BODIES[verb]));
      const input = { actor: API_ACTOR, ...(text !== undefined && { text }) };
      return answer(c, { sources, id }, await actions.act(id, verb, input));
    });
  }

  app.put('/:id/issue', async (c) => {
    const id = readId(c, 'task');
    const { issue } = await readObject(c, linkBody);
    return answer(c, { sources, id }, await actions.link(id, issue, API_ACTOR));
  });

  app.delete('/:id/issue', async (c) => {
    const id = readId(c, 'task');
    return answer(c, { sources, id }, await actions.unlink(id, API_ACTOR));
  });

  return app;
}

async function answer(c: Context, { sources, id }: { sources: Sources; id: string }, acted: TaskResult) {
  if (acted.result === 'not_found') throw unknown('task', id);
  if (acted.result === 'conflict') throw conflict(acted);
  return c.json(await viewTask(sources, acted.task), 202);
}
