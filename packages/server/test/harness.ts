import { copyFileSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, describe } from 'node:test';
import { createClient } from 'grove-idv-sdk';
import pino, { type Logger } from 'pino';
import { type App, openApp } from '../src/app.ts';
import { type Config, type Environment, readConfig } from '../src/config.ts';
import { type DbPlace, isFile, migrate } from '../src/db/open.ts';
import { STRIPPED, UNDECLARED } from '../src/http/server.ts';
import { prepareInstallation } from '../src/installation.ts';
import type { Clock } from '../src/kernel/clock.ts';
import { type Databases, databasesIn, startPostgres } from './postgres.ts';
import { type Answer, fetchAnswer, recordAnswers } from './record-answers.ts';

/** The base of the tests of the server: a real application on a real database, with a clock that the test controls. */
export type TestClock = Clock & { advance(ms: number): void; set(ms: number): void };

export function testClock(start = Date.now()): TestClock {
  let now = start;
  return {
    now: () => now,
    advance(ms) {
      now += ms;
    },
    set(ms) {
      now = ms;
    },
  };
}

export type EngineName = 'sqlite' | 'postgres';

/** A place for data: a folder, and on PostgreSQL a database. */
export type TestPlace = { engine: EngineName; environment: Environment; folder: string };

let postgres: Promise<Databases> | undefined;

export type Places = {
  create(): Promise<TestPlace>;
  /**
   * A database without tables. `create` may return one that already has the tables of this release, which is faster.
   */
  createEmpty(): Promise<TestPlace>;
  postgres(): Promise<Databases>;
};

/** Runs the same tests on both engines. Everything that was created is removed at the end of the file. */
export function onBothEngines(title: string, tests: (engine: EngineName, places: Places) => void): void {
  for (const engine of ['sqlite', 'postgres'] as const) {
    describe(`${title} (${engine})`, () => {
      const places = testPlaces(engine);
      tests(engine, places);
    });
  }
}

export function testPlaces(engine: EngineName = 'sqlite'): Places {
  const undo: (() => Promise<void> | void)[] = [];
  const server = () => {
    // A run of several files has one server for all of them.
    const { TEST_POSTGRES } = process.env;
    if (!postgres && TEST_POSTGRES) postgres = Promise.resolve(databasesIn(TEST_POSTGRES));
    if (!postgres) {
      const started = startPostgres();
      postgres = started;
      undo.push(async () => {
        postgres = undefined;
        await (await started).stop();
      });
    }
    return postgres;
  };
  const make = async (name: 'createDatabase' | 'createMigrated'): Promise<TestPlace> => {
    const folder = mkdtempSync(join(tmpdir(), 'grove-test-'));
    undo.push(() => rmSync(folder, { recursive: true, force: true }));
    if (engine === 'sqlite') return { engine, folder, environment: { GROVE_DATA: folder } };
    const database = await (await server())[name]();
    undo.push(() => database.drop());
    harnessUrls.add(database.url);
    return { engine, folder, environment: { GROVE_DATA: folder, DATABASE_URL: database.url, DATABASE_POOL: '8' } };
  };
  after(async () => {
    for (const each of undo.reverse()) await each();
  });
  return {
    postgres: server,
    create: () => make('createMigrated'),
    createEmpty: () => make('createDatabase'),
  };
}

const harnessUrls = new Set<string>();
const STATEMENT_MS = 60_000;

/**
 * On a busy machine, a statement may take longer than the limit of an installation. Commands and servers in processes
 * of their own, and tests that set the database themselves, keep that limit.
 */
export function withPatience(environment: Environment): Environment {
  const { DATABASE_URL: url = '' } = environment;
  if (!harnessUrls.has(url)) return environment;
  return { ...environment, DATABASE_URL: `${url}&query_timeout=${STATEMENT_MS}&statement_timeout=${STATEMENT_MS}` };
}

/** A database file with every table of this release. The first process of a run that needs it creates it. */
let template: Promise<string> | undefined;

async function makeTemplate(): Promise<string> {
  const own = mkdtempSync(join(tmpdir(), 'grove-migrated-'));
  process.once('exit', () => rmSync(own, { recursive: true, force: true }));
  const shared = join(process.env.TEST_SHARED ?? own, 'migrated.db');
  if (existsSync(shared)) return shared;
  const file = join(own, 'made.db');
  await migrate({ engine: 'sqlite', file });
  renameSync(file, shared);
  return shared;
}

/** A new database file is a copy, because migrating one takes longer than most tests. */
async function copyMigrated(place: DbPlace): Promise<void> {
  if (!isFile(place) || existsSync(place.file)) return;
  template ??= makeTemplate();
  mkdirSync(dirname(place.file), { recursive: true, mode: 0o700 });
  copyFileSync(await template, place.file);
}

export type TestApp = {
  app: App;
  config: Config;
  clock: TestClock;
  baseUrl: string;
  tenantId: string;
  apiKey: string;
  client: ReturnType<typeof createClient>;
  /** The log as one text. */
  logged(): string;
  /** A bearer token of the first key, or of another. */
  token(apiKey?: string): Promise<string>;
  /** A call without the client, for requests that the client would never send. */
  call(path: string, init?: RequestInit & { token?: string | null }): Promise<Answer>;
  stop(): Promise<void>;
};

export type { Answer };

/** How often a request is repeated that is refused because all connections to the database are in use. */
const MAX_COMES_AGAIN = 20;
/** Each wait is longer by this much, so that a hundred repeated requests do not collide again. */
const COMES_AGAIN_MS = 20;

/**
 * Repeats a request that the server has no time for, as a caller would. After 100010 nothing has changed, unless a
 * commit was acknowledged late.
 */
export async function untilServed(ask: () => Promise<Answer>): Promise<Answer> {
  let answer = await ask();
  for (let times = 1; times <= MAX_COMES_AGAIN && answer.body?.code === 100010; times++) {
    await new Promise((later) => setTimeout(later, COMES_AGAIN_MS * times));
    answer = await ask();
  }
  return answer;
}

export type TestAppOptions = {
  environment?: Environment;
  clock?: TestClock;
  tenantId?: string;
  force?: boolean;
  webFolder?: string;
};

/**
 * An application that listens, with one tenant and its first API key. Rate limits are off unless a test switches them
 * on.
 */
export async function openTestApp(place: TestPlace, options: TestAppOptions = {}): Promise<TestApp> {
  const { clock = testClock(), tenantId = 'acme' } = options;
  const config = readConfig({
    PORT: '0',
    HOST: '127.0.0.1',
    GROVE_RATE_LIMIT: 'off',
    GROVE_VISION: 'off',
    // No other process analyses images.
    GROVE_ROLES: 'api,worker,vision',
    ...withPatience({ ...place.environment, ...options.environment }),
  });
  const lines: string[] = [];
  const write = (line: string) => {
    lines.push(line);
    // Nobody has to await it: a rejection fails the running test, or the file.
    if (line.includes(UNDECLARED) || line.includes(STRIPPED))
      Promise.reject(new Error(`an answer that the contract does not declare: ${line}`));
  };
  const log: Logger = pino({ level: 'trace' }, { write });
  await copyMigrated(config.database);
  await prepareInstallation(config);
  const app = await openApp(config, { clock, log, ...(options.webFolder && { webFolder: options.webFolder }) });
  const exists = (await app.tenants.list()).some(({ id }) => id === tenantId);
  const { apiKey } = exists
    ? await app.tenants.createApiKey(tenantId, { name: `Key ${Math.random()}` })
    : await app.tenants.create({ id: tenantId });
  recordAnswers(app.http);
  const { port } = await app.listen({ force: options.force === true }).catch(async (error) => {
    await app.stop();
    throw error;
  });
  const baseUrl = `http://127.0.0.1:${port}`;

  const token = async (key = apiKey): Promise<string> => {
    const answer = await fetch(`${baseUrl}/api/arthr/apiKeys/issue`, { method: 'POST', headers: { 'X-Api-Key': key } });
    const body = (await answer.json()) as { token?: string };
    if (!body.token) throw new Error(`no token: ${JSON.stringify(body)}`);
    return body.token;
  };
  let own: Promise<string> | undefined;
  return {
    app,
    config,
    clock,
    baseUrl,
    tenantId,
    apiKey,
    client: createClient({ baseUrl, apiKey }),
    logged: () => lines.join(''),
    token,
    async call(path, { token: bearerToken, headers, ...init } = {}) {
      if (bearerToken === undefined) own ??= token();
      const bearer = bearerToken === undefined ? await own : bearerToken;
      return fetchAnswer(`${baseUrl}${path}`, {
        redirect: 'manual',
        ...init,
        headers: {
          ...(typeof init.body === 'string' && { 'Content-Type': 'application/json' }),
          ...(bearer !== null && { Authorization: `Bearer ${bearer}` }),
          ...(headers as Record<string, string>),
        },
      });
    },
    stop: () => app.stop(),
  };
}
