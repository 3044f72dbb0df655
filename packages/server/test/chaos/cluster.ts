import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { openTestApp } from '../harness.ts';
import { type Pair, startPair } from './pair.ts';

/** Two servers of Grove on a leader and its standby, a tenant with tokens, and a receiver of webhooks. */
export type Node = { url: string; start(): Promise<void>; kill(): Promise<void>; readonly isAlive: boolean };

const DATABASE = 'grove';
const PUBLIC_PORT = '8080';
const WRITERS = 6;
const { TEST_COMMANDS, NODE_COMPILE_CACHE } = process.env;
/** In a run of all tests it is compiled already. */
const SERVER = TEST_COMMANDS
  ? join(TEST_COMMANDS, 'server.mjs')
  : fileURLToPath(new URL('../children/server.ts', import.meta.url));

export async function startCluster({ onDisks }: { onDisks: boolean }) {
  const folder = mkdtempSync(join(tmpdir(), 'grove-chaos-'));
  const pair = await startPair({ onDisks });
  await pair.administrate(`CREATE DATABASE ${DATABASE} OWNER grove_test`);
  const receiver = await startReceiver();
  const environment = {
    GROVE_DATA: folder,
    DATABASE_URL: pair.urlOf('grove_test', DATABASE),
    DATABASE_POOL: '8',
    GROVE_PUBLIC_PORT: PUBLIC_PORT,
    GROVE_OUTBOUND_ALLOW: new URL(receiver.url).host,
  };
  const seeded = await seed(folder, environment, receiver.url);
  const nodes = [nodeOf(environment), nodeOf(environment)];
  for (const node of nodes) await node.start();
  return {
    pair,
    nodes,
    receiver,
    ...seeded,
    /** A statement of a superuser in the database of the servers: row-level security hides nothing from it. */
    async ask(statement: string): Promise<pg.QueryResult> {
      const client = new pg.Client({ host: pair.host(), user: 'admin', database: DATABASE });
      await client.connect();
      try {
        return await client.query(statement);
      } finally {
        await client.end();
      }
    },
    async stop() {
      for (const node of nodes) await node.kill();
      await receiver.stop();
      await pair.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export type Cluster = Awaited<ReturnType<typeof startCluster>>;
export type { Pair };

async function seed(folder: string, environment: Record<string, string>, receiverUrl: string) {
  const app = await openTestApp({ engine: 'postgres', folder, environment });
  const post = async (path: string, body: object) => {
    const answer = await app.call(path, { method: 'POST', body: JSON.stringify(body) });
    if (answer.status !== 201) throw new Error(answer.text);
    return String(answer.body.id);
  };
  const tokens = '/api/process-manager/processTokens';
  const definition = { processDefnName: 'document-and-selfie' };
  const limits = { type: 'MULTI_USE_COUNT_LIMITED', maxCount: 1_000_000 };
  const used = [
    await post(tokens, { name: 'free', ...definition }),
    await post(tokens, { name: 'limited', ...definition, ...limits }),
  ];
  const own: string[] = [];
  for (let writer = 0; writer < WRITERS; writer++)
    own.push(await post(tokens, { name: `of ${writer}`, ...definition }));
  await post('/api/notification-service/webhooks', { name: 'chaos', uri: receiverUrl, events: ['instance.created'] });
  const { apiKey } = app;
  await app.stop();
  return { apiKey, tokens: used, ownTokens: own };
}

function nodeOf(environment: Record<string, string>): Node {
  let child: ChildProcess | undefined;
  const quiet = {
    PORT: '0',
    HOST: '127.0.0.1',
    GROVE_RATE_LIMIT: 'off',
    GROVE_LOG_LEVEL: 'silent',
    GROVE_VISION: 'off',
  };
  return {
    url: '',
    get isAlive() {
      return child !== undefined && child.exitCode === null && child.signalCode === null;
    },
    async start() {
      // A server that comes again listens where it was.
      const port = this.url ? new URL(this.url).port : '0';
      const env = {
        PATH: process.env.PATH,
        NODE_COMPILE_CACHE,
        ...quiet,
        ...environment,
        PORT: port,
      } as NodeJS.ProcessEnv;
      child = spawn(process.execPath, [SERVER], { env, stdio: ['pipe', 'pipe', 'inherit'] });
      for await (const line of createInterface({ input: child.stdout as NodeJS.ReadableStream })) {
        this.url = `http://127.0.0.1:${line}`;
        return;
      }
      throw new Error('the server has not started');
    },
    async kill() {
      if (!this.isAlive || !child) return;
      const ended = new Promise((done) => child?.once('exit', done));
      child.kill('SIGKILL');
      await ended;
    },
  };
}

async function startReceiver() {
  const deliveries = new Map<string, Set<string>>();
  let requests = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      requests += 1;
      const { data } = JSON.parse(Buffer.concat(chunks).toString('utf8')) as { data: { processInstanceId: string } };
      const ids = deliveries.get(data.processInstanceId) ?? new Set<string>();
      deliveries.set(data.processInstanceId, ids.add(String(request.headers['webhook-id'])));
      response.writeHead(204).end();
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    told: deliveries,
    get requests() {
      return requests;
    },
    stop: () =>
      new Promise<void>((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}
