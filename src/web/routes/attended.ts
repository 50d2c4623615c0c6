/** Runs that people attend: `/tasks/{id}/attend` claims one, `/runs/{id}/attend` tells its session what to do, and hears of its end. */
import { Hono } from 'hono';
import { withAnyOf } from '../../engine/with-any-of.ts';
import { readObject } from '../body.ts';
import { conflict, HttpError } from '../errors.ts';
import type { Actions } from '../ports.ts';
import { presentAttended, presentNews } from '../present/attended.ts';
import { readId, readQuery, unknown } from '../query.ts';
import { attendBody, attendedEndBody, newsQuery } from '../schemas/requests.ts';

export interface AttendedDeps {
  actions: Actions;
  /** Ends what waits for news. */
  closing?: AbortSignal;
}

export function attendTaskRoutes({ actions }: AttendedDeps): Hono {
  const app = new Hono();
  app.post('/:id/attend', async (c) => {
    const id = readId(c, 'task');
    const { signal } = c.req.raw;
    const { session, pid_namespace: pidNamespace, ...process } = await readObject(c, attendBody);
    const claimed = await actions.attend(id, { session, attendant: { ...process, pidNamespace } }, signal);
    switch (claimed.result) {
      case 'claimed':
        return c.json(presentAttended(claimed), 201);
      case 'conflict':
        throw conflict(claimed);
      case 'not_found':
        throw unknown('task', id);
      case 'unavailable':
        throw new HttpError('unavailable', claimed.message);
    }
  });
  return app;
}

export function attendRunRoutes({ actions, closing }: AttendedDeps): Hono {
  const app = new Hono();
  app.get('/:id/attend', async (c) => {
    const runId = readId(c, 'run');
    const { session, wait_seconds: seconds } = readQuery(c, newsQuery);
    const followed = await withAnyOf([c.req.raw.signal, closing], (ended) =>
      actions.followAttended({ runId, session }, { waitMs: seconds * 1_000, ended }),
    );
    if (followed.result === 'not_found') throw unknown('run', runId);
    if (followed.result === 'conflict') throw conflict(followed);
    return c.json(presentNews(followed.news));
  });

  app.post('/:id/attend/end', async (c) => {
    const runId = readId(c, 'run');
    const {
      session,
      exit_code: exitCode,
      signal,
      survivors,
      killed,
      ended_seconds_ago: ago,
    } = await readObject(c, attendedEndBody);
    const end = { exitCode, signal, survivors, killed, agoMs: ago * 1_000 };
    const taken = await actions.endAttended({ runId, session }, end);
    if (taken.result === 'not_found') throw unknown('run', runId);
    if (taken.result === 'conflict') throw conflict(taken);
    return c.json({ accepted: true }, 202);
  });
  return app;
}
