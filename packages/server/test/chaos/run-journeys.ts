import { setTimeout as sleep } from 'node:timers/promises';
import { readConfig } from '../../src/config.ts';
import { type Ceph, createBucket, startCeph } from '../ceph.ts';
import type { TestApp } from '../harness.ts';
import { checkJourneys, type JourneyVerdict, REPORTED } from './check-journeys.ts';
import { type Cluster, type Node, startCluster } from './cluster.ts';
import { type Patroni, startPatroni } from './patroni.ts';
import { type Back, type Environment, goThrough, issue, openMaterial, type Person, reach } from './people.ts';

/**
 * Whole journeys, of the sandbox and live with real image analysis, on two servers with the roles api and worker and
 * two with the role vision, Patroni and Ceph, while parts of these are killed.
 */
export type JourneysOptions = {
  ttlSeconds: number;
  /** Only faults whose names contain this word. */
  word: string;
  onFault?(result: FaultOfJourneys): void;
};

export type FaultOfJourneys = { fault: string; underWay: number; finishedAfterMs: number };
export type JourneysResult = { faults: FaultOfJourneys[]; verdict: JourneyVerdict; people: Person[]; deaths: number };

const DEFINITION = {
  name: 'chaos',
  processDefinitionType: 'VERIFICATION',
  steps: [
    { id: 'consent', type: 'consent', key: 'consent' },
    { id: 'document', type: 'document', key: 'doc1', accept: ['PASSPORT'] },
    { id: 'selfie', type: 'face', key: 'face1', liveness: 'active' },
    { id: 'match', type: 'faceMatch', document: 'doc1', face: 'face1' },
    { id: 'decide', type: 'decision', onAnyFailure: 'FAIL', onUncertain: 'REVIEW' },
  ],
};
const API = { GROVE_ROLES: 'api,worker', GROVE_VISION: 'lazy' };
const VISION = { GROVE_ROLES: 'vision', GROVE_VISION: 'eager' };
/** The number of journeys of each environment at once. */
const WALKERS: readonly Environment[] = ['live', 'live', 'test'];
const MAX_PEOPLE = 200;
const MAX_FAILURES = 10;
const SANDBOX_PAUSE_MS = 5000;
const MOMENT_WITHIN_MS = 300_000;
const GATEWAY_AWAY_MS = 40_000;
const DELIVERED_WITHIN_MS = 120_000;

type Installation = { cluster: Cluster<Patroni>; ceph: Ceph; api: readonly Node[]; vision: readonly Node[] };

type JourneyFault = {
  name: string;
  /** The time for the fault, by the activity of a live person. */
  isMoment(person: Person): boolean;
  inject(installation: Installation): Promise<void>;
};

const isChecked = ({ phase }: Person) => phase === 'check';
const isBeforeCamera = ({ phase }: Person) => phase === 'camera';
const comesAgain = async (node: Node | undefined) => {
  await node?.kill();
  await node?.start();
};

export const JOURNEY_FAULTS: readonly JourneyFault[] = [
  {
    name: 'a vision process is killed while pictures are checked',
    isMoment: isChecked,
    inject: ({ vision: [first] }) => comesAgain(first),
  },
  {
    name: 'the leader of PostgreSQL is killed while pictures are checked',
    isMoment: isChecked,
    inject: ({ cluster }) => cluster.database.killLeader(),
  },
  {
    name: 'an api process is killed while a person is before the camera',
    isMoment: isBeforeCamera,
    inject: ({ api: [first] }) => comesAgain(first),
  },
  {
    name: 'the leader of PostgreSQL is killed while a person is before the camera',
    isMoment: isBeforeCamera,
    inject: ({ cluster }) => cluster.database.killLeader(),
  },
  {
    name: `the bucket is away for ${GATEWAY_AWAY_MS / 1000} s while pictures are checked`,
    isMoment: isChecked,
    async inject({ ceph }) {
      await ceph.killGateway();
      await sleep(GATEWAY_AWAY_MS);
      await ceph.startGateway();
    },
  },
];

export async function runJourneys(options: JourneysOptions): Promise<JourneysResult> {
  const material = await openMaterial();
  const ceph = await startCeph();
  try {
    const database = await startPatroni({ isSynchronous: true, ttlSeconds: options.ttlSeconds });
    const cluster = await startCluster({
      database,
      environment: await bucketOf(ceph),
      nodes: [API, API, VISION, VISION],
      seed: seedJourneys,
    });
    const { nodes, seeded } = cluster;
    const [api, vision] = [nodes.slice(0, 2), nodes.slice(2)];
    try {
      const call = reach(api);
      const bearers = { live: await issue(call, cluster.apiKey), test: await issue(call, seeded.testKey) };
      const back: Back = { call, bearers, tokens: seeded.tokens };
      const walk = startWalking((person) => goThrough(back, person, material));
      const faults: FaultOfJourneys[] = [];
      for (const fault of JOURNEY_FAULTS.filter(({ name }) => name.includes(options.word))) {
        const result = await injectOne(fault, { cluster, ceph, api, vision }, walk);
        faults.push(result);
        options.onFault?.(result);
      }
      const deaths = nodes.filter(({ isAlive }) => !isAlive).length;
      const failures = await walk.stop();
      await untilDelivered(cluster);
      const { ask, receiver } = cluster;
      const verdict = await checkJourneys(walk.people, { back, ask, deliveries: receiver.deliveries });
      return { faults, verdict: { ...verdict, faults: [...failures, ...verdict.faults] }, people: walk.people, deaths };
    } finally {
      await cluster.stop();
    }
  } finally {
    await ceph.stop();
  }
}

async function bucketOf({ endpoint, key }: Ceph): Promise<Record<string, string>> {
  const environment = {
    BLOB_URL: `s3://images/journeys?region=default&endpoint=${endpoint}`,
    AWS_ACCESS_KEY_ID: key.accessKeyId,
    AWS_SECRET_ACCESS_KEY: key.secretAccessKey,
  };
  const { s3 } = readConfig(environment);
  if (!s3) throw new Error('the address of the bucket is wrong');
  await createBucket(s3);
  return environment;
}

async function seedJourneys(app: TestApp, receiverUrl: string) {
  const { apiKey: testKey } = await app.app.tenants.createApiKey('acme', { name: 'test', environment: 'test' });
  await app.client.processSettings.update({ body: { redirectOrigins: [], allowSpecimens: true } });
  const definition = await app.client.processDefinitions.create({ body: DEFINITION as never });
  await app.call(`/api/process-manager/processDefinitions/${definition.id}/deploy`, { method: 'POST' });
  const post = async (path: string, body: object, key: string) => {
    const answer = await app.call(path, { method: 'POST', body: JSON.stringify(body), token: await app.token(key) });
    if (answer.status !== 201) throw new Error(answer.text);
    return String(answer.body.id);
  };
  const tokens: Partial<Record<Environment, string>> = {};
  for (const [environment, key] of [['live', app.apiKey] as const, ['test', testKey] as const]) {
    const token = { name: `of ${environment}`, processDefnName: DEFINITION.name };
    tokens[environment] = await post('/api/process-manager/processTokens', token, key);
    const webhook = { name: environment, uri: receiverUrl, events: REPORTED };
    await post('/api/notification-service/webhooks', webhook, key);
  }
  return { testKey, tokens: tokens as Record<Environment, string> };
}

/** Persons start one after another until this stops; those who have started still reach the end. */
function startWalking(go: (person: Person) => Promise<void>) {
  const people: Person[] = [];
  const failures: string[] = [];
  let stopping = false;
  const walker = async (environment: Environment) => {
    while (!stopping && people.length < MAX_PEOPLE) {
      const person: Person = { environment, number: people.length + 1, challenges: 0 };
      people.push(person);
      await go(person).catch((error: Error) => {
        failures.push(`${environment} ${person.number} (${person.id}, ${person.step}): ${error.message}`);
      });
      if (failures.length >= MAX_FAILURES) return;
      delete person.phase;
      if (environment === 'test') await sleep(SANDBOX_PAUSE_MS);
    }
  };
  const walkers = WALKERS.map(walker);
  return {
    people,
    failures: failures as readonly string[],
    async stop() {
      stopping = true;
      await Promise.all(walkers);
      return failures;
    },
  };
}

async function injectOne(
  { name, isMoment, inject }: JourneyFault,
  installation: Installation,
  { people, failures }: { people: readonly Person[]; failures: readonly string[] },
): Promise<FaultOfJourneys> {
  const isLive = ({ environment, end }: Person) => environment === 'live' && !end;
  await until(`there is a moment for: ${name}`, () => {
    if (failures.length >= MAX_FAILURES) throw new Error(failures.join('\n'));
    return people.some((person) => isLive(person) && isMoment(person));
  });
  const underWay = people.filter(({ id, end }) => id && !end);
  await inject(installation);
  const injectedAt = Date.now();
  await installation.cluster.database.rebuild();
  const isOver = ({ end, phase, id }: Person) => end !== undefined || (phase === undefined && id === undefined);
  await until(`the journeys end that were under way at: ${name}`, () => underWay.every(isOver)).catch(() => undefined);
  return { fault: name, underWay: underWay.length, finishedAfterMs: Date.now() - injectedAt };
}

async function until(what: string, isTrue: () => boolean): Promise<void> {
  for (const end = Date.now() + MOMENT_WITHIN_MS; Date.now() < end; await sleep(20)) if (isTrue()) return;
  throw new Error(`it does not happen that ${what}`);
}

/** Waits until no delivery is pending. */
async function untilDelivered({ ask }: Cluster<Patroni>): Promise<void> {
  for (const end = Date.now() + DELIVERED_WITHIN_MS; Date.now() < end; await sleep(500)) {
    const { rows } = await ask("SELECT 1 FROM webhook_deliveries WHERE status = 'PENDING' LIMIT 1");
    if (rows.length === 0) return;
  }
}
