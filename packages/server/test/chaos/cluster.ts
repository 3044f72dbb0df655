import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { openTestApp, type TestApp } from '../harness.ts';
import type { DatabaseServers } from './servers.ts';

/** Servers of Grove on servers of PostgreSQL, a tenant, and a receiver of webhooks. */
export type Node = {
  url: string;
  start(): Promise<void>;
  kill(): Promise<void>;
  readonly isAlive: boolean;
  /** The id of the last started process. */
  readonly pid: number | undefined;
};

const DATABASE = 'grove';
const PUBLIC_PORT = '8080';
const { TEST_COMMANDS, NODE_COMPILE_CACHE } = process.env;
/** In a run of all tests it is compiled already. */
const SERVER = TEST_COMMANDS
  ? join(TEST_COMMANDS, 'server.mjs')
  : fileURLToPath(new URL('../children/server.ts', import.meta.url));

export type ClusterOptions<D extends DatabaseServers, Seed> = {
  /** From here on it belongs to the cluster, and ends with it. */
  database: D;
  /** Settings of all servers. */
  environment?: Record<string, string>;
  /** Settings of each server; by default two servers with all roles except vision. */
  nodes?: readonly Record<string, string>[];
  seed(app: TestApp, receiverUrl: string): Promise<Seed>;
};

const NO_VISION = { GROVE_VISION: 'off' };

export async function startCluster<D extends DatabaseServers, Seed>(options: ClusterOptions<D, Seed>) {
  const { database, nodes: settings = [NO_VISION, NO_VISION] } = options;
  const folder = mkdtempSync(join(tmpdir(), 'grove-chaos-'));
  await database.administrate(`CREATE DATABASE ${DATABASE} OWNER grove_test`);
  const receiver = await startReceiver();
  const environment = {
    GROVE_DATA: folder,
    DATABASE_URL: database.urlOf('grove_test', DATABASE),
    DATABASE_POOL: '8',
    GROVE_PUBLIC_PORT: PUBLIC_PORT,
    GROVE_OUTBOUND_ALLOW: new URL(receiver.url).host,
    ...options.environment,
  };
  const app = await openTestApp({ engine: 'postgres', folder, environment });
  const { apiKey } = app;
  const seeded = await options.seed(app, receiver.url).finally(() => app.stop());
  const nodes = settings.map((own) => nodeOf({ ...environment, ...own }));
  for (const node of nodes) await node.start();
  return {
    database,
    nodes,
    receiver,
    apiKey,
    seeded,
    /** A statement of a superuser in the database of the servers, for which row-level security hides nothing. */
    async ask(statement: string): Promise<pg.QueryResult> {
      const client = new pg.Client({ connectionString: await database.leaderUrl('admin', DATABASE) });
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
      await database.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export type Cluster<D extends DatabaseServers, Seed = unknown> = Awaited<ReturnType<typeof startCluster<D, Seed>>>;

function nodeOf(environment: Record<string, string>): Node {
  let child: ChildProcess | undefined;
  const quiet = {
    PORT: '0',
    HOST: '127.0.0.1',
    GROVE_RATE_LIMIT: 'off',
    GROVE_LOG_LEVEL: 'silent',
  };
  return {
    url: '',
    get isAlive() {
      return child !== undefined && child.exitCode === null && child.signalCode === null;
    },
    get pid() {
      return child?.pid;
    },
    async start() {
      // A server that restarts listens at its old address.
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
      const exit = new Promise((done) => child?.once('exit', done));
      child.kill('SIGKILL');
      await exit;
    },
  };
}

/** A request of a webhook. */
export type Delivery = { id: string; type: string; instanceId: string };

async function startReceiver() {
  const deliveries: Delivery[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { type, data } = JSON.parse(Buffer.concat(chunks).toString('utf8')) as {
        type: string;
        data: { processInstanceId: string };
      };
      deliveries.push({ id: String(request.headers['webhook-id']), type, instanceId: data.processInstanceId });
      response.writeHead(204).end();
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    deliveries: deliveries as readonly Delivery[],
    stop: () =>
      new Promise<void>((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}
