import { Readable } from 'node:stream';
import type { Db, TenantDb, TenantTx } from '../src/db/db.ts';
import { asContent, type Blobs } from '../src/engines/blobs/blobs.ts';
import { readStream } from '../src/engines/blobs/read-stream.ts';
import { openImages } from '../src/engines/images/images.ts';
import { journeyCookieName } from '../src/http/contract/journey-cookie.ts';
import type { Jobs } from '../src/jobs/jobs.ts';
import { type Journeys, openJourney } from '../src/journey/journey.ts';
import type { JourneyDeps } from '../src/journey/journey-deps.ts';
import { type Live, openLive } from '../src/journey/live.ts';
import { asTenantId, newId, type TenantId } from '../src/kernel/ids.ts';
import { fold } from '../src/kernel/pages.ts';
import { testVolume } from '../src/kernel/test-volume.ts';
import { addDefinition } from '../src/process-manager/definitions/definitions.repository.ts';
import type { Definition, Step } from '../src/process-manager/engine/definition.ts';
import type { Trigger } from '../src/process-manager/engine/state.ts';
import { processesForJourneys } from '../src/process-manager/for-journeys.ts';
import { pageEvents } from '../src/process-manager/instances/instance-events.repository.ts';
import { findInstanceForUpdate } from '../src/process-manager/instances/process-instances.repository.ts';
import { makeResumeLink } from '../src/process-manager/instances/resume-link.ts';
import { type Drive, openDrive } from '../src/process-manager/runtime/drive.ts';
import {
  findProcessSettings,
  type ProcessSettings,
  setProcessSettings,
} from '../src/process-manager/settings/settings.repository.ts';
import { createFromToken } from '../src/process-manager/tokens/create-from-token.ts';
import { addToken } from '../src/process-manager/tokens/process-tokens.repository.ts';
import { openMasterKey } from '../src/secrets/master-key.ts';
import { openVault } from '../src/secrets/vault.ts';
import { addTestTenants, openTestDb } from './database.ts';
import { type Answer, type TestClock, type TestPlace, testClock } from './harness.ts';
import { openTestHttp, type TestHttp } from './http.ts';

/** The journey API on a real database and the real engine, without the rest of the application. */
export type TestJourney = {
  db: Db;
  acme: TenantDb;
  clock: TestClock;
  http: TestHttp;
  drive: Drive;
  journeys: Journeys;
  live: Live;
  /** Tenants that the heartbeat of live status treats as suspended. */
  suspended: Set<string>;
  /** Sealed bytes by their keys. */
  blobs: Map<string, Uint8Array>;
  /** Jobs that the engine has requested; they do not run. */
  enqueued: { kind: string; payload: object }[];
  /** Keys that the durable job was told to delete. */
  deleted: string[];
  /** The calls to image analysis: that it will be needed, and the images that it may analyse ahead. */
  toldVision: string[];
  deps: JourneyDeps;
  /** Runs between the guard and the handler of the next request. */
  meanwhile: { run?: () => Promise<unknown> };
  token(options?: TokenOptions): Promise<string>;
  /** Creates an instance, and returns it with the one-time code of its redirect address. */
  instance(options?: TokenOptions): Promise<{ id: string; code: string }>;
  resumeCode(instanceId: string): Promise<string>;
  /** A browser with its own cookies. */
  browser(userAgent?: string): Browser;
  apply(instanceId: string, trigger: Trigger): Promise<void>;
  allowRedirects(...origins: string[]): Promise<void>;
  /** Sets the origins that may frame journeys. */
  allowFrames(environment: 'live' | 'test', ...origins: string[]): Promise<void>;
  events(instanceId: string): Promise<string[]>;
  sessions(instanceId: string): Promise<{ id: string; state: string }[]>;
  stop(): Promise<void>;
};

export type TokenOptions = {
  steps?: readonly Step[];
  parameters?: Record<string, string>;
  environment?: 'live' | 'test';
  uiUrl?: string;
  maxCount?: number;
};

export type Browser = {
  cookies: Map<string, string>;
  instanceId: string;
  /** Redeems a code, or opens a token. */
  open(body: { code?: string; pt?: string; tn?: string; embedOrigin?: string; embedded?: boolean }): Promise<Answer>;
  get(): Promise<Answer>;
  post(path: string, body?: unknown): Promise<Answer>;
  /** Submits with the current revision. */
  submit(step: string, result?: unknown): Promise<Answer>;
  upload(step: string, name: string, bytes: Uint8Array, contentType?: string): Promise<Answer>;
  fetch(path: string, init?: RequestInit): Promise<Response>;
};

export const CONSENT: Step = { id: 'consent', type: 'consent', key: 'consent', textVersion: '1' };
export const DOCUMENT: Step = {
  id: 'document',
  type: 'document',
  key: 'doc1',
  accept: ['PASSPORT', 'ID_CARD'],
  sides: 'auto',
  requireLiveCapture: false,
  maxAttempts: 3,
};
export const DECIDE: Step = { id: 'decide', type: 'decision', onAnyFailure: 'FAIL', onUncertain: 'REVIEW' };
const STEPS = [CONSENT, DOCUMENT, DECIDE];

export async function openTestJourney(
  place: TestPlace,
  environment: Record<string, string> = {},
): Promise<TestJourney> {
  const clock = testClock();
  const db = await openTestDb(place);
  const [acmeId] = await addTestTenants(db, 'acme', 'other');
  const vault = openVault({ master: openMasterKey({ env: MASTER_KEY }), clock });
  for (const id of ['acme', 'other'] as const) await db.of(asTenantId(id)).write((tx) => vault.createTenantKey(tx));
  const acme = db.of(acmeId);
  const blobs = new Map<string, Uint8Array>();
  const deleted: string[] = [];
  const enqueued: TestJourney['enqueued'] = [];
  const toldVision: string[] = [];
  const images = openImages();
  // On this engine nothing is read in the background, where it could run between two steps of a test.
  const still: Db = { ...db, engine: 'sqlite' };
  const suspended = new Set<string>();
  const onError = (what: string, error: unknown) => assertNothing(what, error);
  const live = openLive({ db: still, clock, suspended: async () => suspended, onError });

  const identity = { acts: noIdentity, presentFace: noIdentity };
  const notifyEvents = async () => undefined;
  const expectNotified = () => undefined;
  const jobs: Pick<Jobs, 'enqueue'> = {
    async enqueue(_tx, { kind }, payload) {
      enqueued.push({ kind, payload });
      return true;
    },
  };
  const drive = openDrive({
    vault,
    jobs,
    identity,
    notifyEvents,
    expectNotified,
    changed: live.changed,
    eventsOfView: async () => [],
    rememberViews: () => undefined,
    sendWebhook: async () => true,
    warn: () => undefined,
  });
  const deleteBlobs = async (_tx: TenantTx, keys: readonly string[]) => void deleted.push(...keys);
  const scheme = environment.GROVE_SCHEME === 'https' ? 'https' : 'http';
  const baseUrlOf = (tenantId: TenantId) => `${scheme}://${tenantId}.fir.localhost`;
  const deps: JourneyDeps = {
    db: still,
    clock,
    vault,
    live,
    baseUrlOf,
    images,
    testVolume: testVolume('off', clock),
    onError,
    processes: {
      ...processesForJourneys({ drive, notifyEvents, expectNotified, vault, identity, jobs, deleteBlobs, baseUrlOf }),
      seeStep: async () => undefined,
      leaveStep: async () => undefined,
    },
    themes: { pageUrl: async () => undefined, lookOf: async () => ({}) as never },
    tenants: { nameOf: async (tenantId) => `Name of ${tenantId}`, ensureActive: async () => undefined },
    blobs: {
      put: async (key, content) => void blobs.set(key, await bytesOf(content)),
      get: async (key) => readStream(Readable.from([blobs.get(key)])),
      delete: async (key) => void blobs.delete(key),
    },
    vision: {
      warm: () => void toldVision.push('warm'),
      observeFrame: async () => undefined,
      lookAhead: ({ id }, kind) => void toldVision.push(`${kind} ${blobs.has(id) ? 'kept' : 'unknown'}`),
    },
    secure: scheme === 'https',
    cookieName: (instanceId) => journeyCookieName(scheme, instanceId),
    messages: noMessages,
    countryHeader: undefined,
  };
  const journeys = openJourney(deps);
  const { handlers } = journeys;
  const meanwhile: TestJourney['meanwhile'] = {};
  const journeySession: Journeys['journeySession'] = async (instanceId, cookie) => {
    const session = await journeys.journeySession(instanceId, cookie);
    const { run } = meanwhile;
    delete meanwhile.run;
    await run?.();
    return session;
  };
  const http = await openTestHttp({
    clock,
    db,
    journeySession,
    environment,
    handlers: handlers as never,
    genuine: true,
  });
  const token = (options: TokenOptions = {}) => acme.write((tx) => newToken(tx, options, clock.now()));
  const setSettings = (environment: 'live' | 'test', changed: Partial<ProcessSettings>) =>
    acme.write(async (tx) => {
      const settings = { ...(await findProcessSettings(tx, environment)), ...changed };
      await setProcessSettings(tx, settings, { environment, by: 'test', now: clock.now() });
    });

  return {
    db,
    acme,
    clock,
    http,
    drive,
    enqueued,
    journeys,
    live,
    suspended,
    blobs,
    deleted,
    toldVision,
    deps,
    meanwhile,
    token,
    async instance(options) {
      const tokenId = await token(options);
      const from = { tokenId, environment: undefined, now: clock.now(), baseUrl: baseUrlOf(acmeId) };
      const { row, code } = await acme.write((tx) => createFromToken(tx, from));
      return { id: row.id, code };
    },
    async resumeCode(instanceId) {
      const { redirectUrl } = await acme.write(async (tx) => {
        const row = await findInstanceForUpdate(tx, instanceId);
        if (!row) throw new Error('no such instance');
        return makeResumeLink(tx, row, { now: clock.now(), baseUrl: baseUrlOf(acmeId) });
      });
      return codeOf(redirectUrl);
    },
    browser: (userAgent) => browser(http, scheme, userAgent),
    async apply(instanceId, trigger) {
      const applied = await acme.write((tx) => drive.apply(tx, instanceId, trigger, clock.now()));
      if (applied.refusal) throw new Error(`refused: ${applied.refusal}`);
    },
    allowRedirects: (...redirectOrigins) => setSettings('live', { redirectOrigins }),
    allowFrames: (environment, ...embedOrigins) => setSettings(environment, { embedOrigins }),
    async events(instanceId) {
      const paging = { size: 100, offset: 0, orderBy: 'sequence ASC' } as never;
      return (await pageEvents(acme, instanceId, paging)).map(({ type }) => type);
    },
    sessions: (instanceId) =>
      acme.all<{ id: string; state: string }>(
        { text: 'SELECT id, state FROM journey_sessions WHERE tenant_id = $1 AND instance_id = $2 ORDER BY id' },
        ['acme', instanceId],
      ),
    async stop() {
      journeys.stop();
      await http.stop();
      await images.stop();
      await db.close();
    },
  };
}

/** Messages are tested with a whole application; here they can be requested, and are not sent. */
const noMessages: JourneyDeps['messages'] = {
  channels: [],
  queueFor: async () => async () => ({ sentTo: 'nobody' }),
  known: async () => undefined,
};

/** Steps of identity stores are tested with a whole application. */
export function noIdentity(): never {
  throw new Error('there is no identity store here');
}

const MASTER_KEY = `1:${Buffer.alloc(32, 7).toString('base64')}`;

async function bytesOf(content: Parameters<Blobs['put']>[1]): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const part of asContent(content).chunks()) parts.push(part);
  return Buffer.concat(parts);
}

/** The one-time code in an address that leads into a journey. */
export function codeOf(redirectUrl: string): string {
  return new URLSearchParams(new URL(redirectUrl).hash.slice(1)).get('c') as string;
}

function assertNothing(what: string, error: unknown): never {
  throw new Error(what, { cause: error });
}

let tokens = 0;

async function newToken(tx: TenantTx, options: TokenOptions, now: number): Promise<string> {
  const { steps = STEPS, parameters = {}, environment = 'live', uiUrl, maxCount } = options;
  tokens += 1;
  const name = `definition ${tokens}`;
  const document: Definition = {
    name,
    processDefinitionType: 'VERIFICATION',
    retentionDays: 30,
    theme: 'default',
    maxDuration: 'PT48H',
    attributes: { searchable: [] },
    steps,
  };
  const by = { created_at: now, created_by: 'test', last_updated_at: now, last_updated_by: 'test' };
  const definitionId = newId(now);
  await addDefinition(tx, {
    environment: 'live',
    id: definitionId,
    name,
    version: 1,
    status: 'DEPLOYED_ACTIVE',
    description: null,
    ...by,
    deployed_at: now,
    definition_type: 'VERIFICATION',
    retention_days: 30,
    name_folded: fold(name),
    document: JSON.stringify(document),
  });
  const id = newId(now);
  await addToken(tx, {
    id,
    environment,
    name,
    name_folded: fold(name),
    description: null,
    process_defn_name: name,
    process_defn_version: 1,
    process_defn_tag: null,
    definition_id: definitionId,
    ui_url: uiUrl ?? null,
    status: 'ACTIVE',
    type: maxCount ? 'MULTI_USE_COUNT_LIMITED' : 'UNLIMITED',
    not_before_at: null,
    not_after_at: null,
    max_count: maxCount ?? null,
    counter: 0,
    max_process_duration: 'PT48H',
    for_test: null,
    parameters: JSON.stringify(parameters),
    ...by,
  });
  return id;
}

function browser(
  http: TestHttp,
  scheme: 'http' | 'https',
  userAgent = 'Mozilla/5.0 (Windows NT 10.0) Chrome/140.0',
): Browser {
  const cookies = new Map<string, string>();
  const headersOf = (headers: RequestInit['headers']) => ({
    'User-Agent': userAgent,
    Cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
    ...(headers as Record<string, string>),
  });
  const pathOf = (path: string) => `/api/journey/${own.instanceId}${path}`;
  const own: Browser = {
    cookies,
    instanceId: '',
    async open(body) {
      const answer = await http.call('/api/journey/sessions', {
        method: 'POST',
        body: JSON.stringify(body),
        headers: headersOf({}),
      });
      const [pair = ''] = (answer.headers.get('set-cookie') ?? '').split(';');
      if (answer.status === 200) {
        own.instanceId = answer.body.processInstanceId;
        cookies.set(journeyCookieName(scheme, own.instanceId), pair.slice(pair.indexOf('=') + 1));
      }
      return answer;
    },
    get: () => http.call(pathOf(''), { headers: headersOf({}) }),
    post: (path, body = {}) =>
      http.call(pathOf(path), { method: 'POST', body: JSON.stringify(body), headers: headersOf({}) }),
    async submit(step, result = {}) {
      const { revision } = (await own.get()).body;
      return own.post(`/steps/${step}`, { revision, result });
    },
    upload: (step, name, bytes, contentType = 'image/png') =>
      http.call(pathOf(`/steps/${step}/images/${name}`), {
        method: 'POST',
        body: bytes as unknown as BodyInit,
        headers: headersOf({ 'Content-Type': contentType }),
      }),
    fetch: (path, init = {}) => fetch(`${http.baseUrl}${pathOf(path)}`, { ...init, headers: headersOf(init.headers) }),
  };
  return own;
}
