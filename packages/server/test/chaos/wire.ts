import type { AddressInfo } from 'node:net';
import { createServer, connect as open, type Socket } from 'node:net';

/**
 * The network between the servers of Grove and one of PostgreSQL: TCP connections that lead to its socket. Cut, it
 * neither delivers nor refuses anything, like a broken switch; mended, pending data arrives late.
 */
export type Wire = { readonly port: number; cut(): void; mend(): void; stop(): Promise<void> };

export async function startWire(socketOf: () => string): Promise<Wire> {
  const ends = new Set<Socket>();
  const waiting: (() => void)[] = [];
  let isCut = false;
  const join = (near: Socket) => {
    const far = open(socketOf());
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      ends.add(from);
      from.on('data', (bytes) => void to.write(bytes));
      from.on('error', () => to.destroy());
      from.on('close', () => {
        ends.delete(from);
        to.destroy();
      });
    }
  };
  const server = createServer((near) => {
    near.on('error', () => undefined);
    if (isCut) waiting.push(() => near.destroyed || join(near));
    else join(near);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    port: (server.address() as AddressInfo).port,
    cut() {
      isCut = true;
      for (const end of ends) end.pause();
    },
    mend() {
      isCut = false;
      for (const end of ends) end.resume();
      for (const go of waiting.splice(0)) go();
    },
    stop: () =>
      new Promise<void>((done) => {
        for (const end of ends) end.destroy();
        server.close(() => done());
      }),
  };
}
