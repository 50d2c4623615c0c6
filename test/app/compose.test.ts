/** A start that fails on its way takes back what it had opened. */
import { createServer } from 'node:net';
import { expect, it } from 'vitest';
import type { Adapters } from '../../src/app/adapters.ts';
import { makeWorld } from '../support/world.ts';

/** A port that nobody listens on. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

it('an engine that does not start leaves no server that answers for it', async () => {
  const port = await freePort();
  const world = await makeWorld({ env: { PORT: String(port) } });
  let listened = false;
  const reclaim = async () => {
    listened = (await fetch(`http://127.0.0.1:${port}/healthz`)).ok;
    throw new Error('no lease');
  };
  const wrap = ({ store, ...rest }: Adapters): Adapters => ({
    ...rest,
    store: Object.assign(Object.create(store), { queue: { ...store.queue, reclaim } }),
  });
  try {
    await expect(world.start({ wrap })).rejects.toThrow('no lease');
    expect(listened).toBe(true);
    await expect(fetch(`http://127.0.0.1:${port}/healthz`)).rejects.toThrow();
  } finally {
    await world.close();
  }
});
