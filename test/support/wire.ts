/** A wire between an app and an agent that can be silent: what is said into it is held, as packets on a broken road are. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface Wire {
  url: string;
  /** Nothing gets through any more, and connections don't end by themselves. */
  silence(): void;
  open(): void;
  /** What was said meanwhile arrives now, though nobody waits for an answer any more; resolves when each was answered. */
  deliverHeld(): Promise<void>;
  close(): Promise<void>;
}

export async function startWire(target: string): Promise<Wire> {
  const port = Number(new URL(target).port);
  const sockets = new Set<Socket>();
  let held: Buffer[][] = [];
  let silent = false;
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('close', () => sockets.delete(socket));
    if (silent) {
      const said: Buffer[] = [];
      held.push(said);
      socket.on('data', (chunk) => said.push(chunk));
      return;
    }
    const far = connect(port, '127.0.0.1');
    far.on('error', () => socket.destroy());
    socket.once('close', () => far.destroy());
    socket.pipe(far).pipe(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    silence() {
      silent = true;
      cut();
    },
    open() {
      silent = false;
      cut();
    },
    async deliverHeld() {
      const late = held.filter((said) => said.length > 0);
      held = [];
      await Promise.all(late.map((said) => deliver(port, Buffer.concat(said))));
    },
    async close() {
      cut();
      server.close();
      await once(server, 'close');
    },
  };
}

async function deliver(port: number, bytes: Buffer): Promise<void> {
  const far = connect(port, '127.0.0.1');
  far.write(bytes);
  await once(far, 'data');
  far.destroy();
}
