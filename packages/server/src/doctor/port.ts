import { lookup } from 'node:dns/promises';
import { createServer } from 'node:net';
import type { Config } from '../config.ts';
import { isFile } from '../db/open.ts';
import { isFolderLocked } from '../db/sqlite/folder-lock.ts';
import { type Check, fault, ok } from './check.ts';

const HEALTH_TIMEOUT_MS = 2000;

export async function checkPort({ port, host, dataFolder, database }: Config): Promise<Check> {
  const name = 'port';
  const remedy = 'Stop what holds it, or set PORT to another.';
  if (port === 0) return ok(name, 'Any free port will do.');
  const listenError = await listenFault(host, port);
  if (listenError === undefined) return ok(name, `Port ${port} of ${host} is free.`);
  if (listenError !== 'EADDRINUSE')
    return fault(name, `Port ${port} of ${host} cannot be used (${listenError}).`, 'Set PORT or HOST.');
  const holder = await healthOf(host, port);
  if (holder === 'other') return fault(name, `Port ${port} is held by another program.`, remedy);
  if (isFile(database) && !isFolderLocked(dataFolder)) {
    return fault(name, `Port ${port} is held by a Grove server of another data folder.`, remedy);
  }
  if (holder === 'ready') return ok(name, `Port ${port} is held by a Grove server that is ready.`);
  return fault(name, `Port ${port} is held by a Grove server that is not ready.`, 'Look into its log.');
}

/** Listens for a moment, on every address of the name. It accepts no connection. */
async function listenFault(host: string, port: number): Promise<string | undefined> {
  try {
    for (const { address } of await lookup(host, { all: true })) {
      const server = createServer();
      await new Promise<void>((done, failed) => {
        server.once('error', failed).listen({ port, host: address, exclusive: true }, () => server.close(() => done()));
      });
    }
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? (error as Error).message;
  }
}

async function healthOf(host: string, port: number): Promise<'ready' | 'unready' | 'other'> {
  const address = /^(0\.0\.0\.0|::)$/.test(host) ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  try {
    const answer = await fetch(`http://${address}:${port}/health/ready`, {
      signal: AbortSignal.timeout(HEALTH_TIMEOUT_MS),
    });
    const body = (await answer.json()) as { status?: unknown; code?: unknown };
    if (answer.status === 200 && body.status === 'ready') return 'ready';
    return typeof body.code === 'number' ? 'unready' : 'other';
  } catch {
    return 'other';
  }
}
