import type { Delivery } from './cluster.ts';
import type { Back, Person } from './people.ts';

/** Compares the journeys that were started with the data of the servers, the bucket and the receiver of webhooks. */
export type JourneyFacts = {
  back: Back;
  ask(statement: string): Promise<{ rows: unknown[] }>;
  deliveries: readonly Delivery[];
};

export type JourneyVerdict = { finished: number; images: number; webhooks: number; repeated: number; faults: string[] };

/** The selfie, and two frames of each of the five movements. */
const FACE_IMAGES = ['image', ...Array.from({ length: 10 }, (_, at) => `frame${at + 1}`)];
const DOCUMENT_IMAGES = ['front/uncropped', 'front/cropped', 'portrait'];
const SUCCESS = 'COMPLETED_ENDED_SUCCESS';
export const REPORTED = ['instance.created', 'instance.stepCompleted', 'instance.completed'];

export async function checkJourneys(people: readonly Person[], facts: JourneyFacts): Promise<JourneyVerdict> {
  const faults: string[] = [];
  let [finished, images] = [0, 0];
  for (const person of people) {
    const name = `${person.environment} ${person.number}`;
    const result = await checkOne(person, facts.back);
    if (result.faults.length === 0) finished += 1;
    images += result.images;
    faults.push(...result.faults.map((fault) => `${name}: ${fault}`));
  }
  const webhooks = await checkWebhooks(people, facts);
  const distinct = new Set(facts.deliveries.map(({ id }) => id)).size;
  return {
    finished,
    images,
    webhooks: distinct,
    repeated: facts.deliveries.length - distinct,
    faults: [...faults, ...webhooks],
  };
}

async function checkOne({ id, environment }: Person, { call, bearers }: Back) {
  const token = bearers[environment];
  const faults: string[] = [];
  if (!id) return { faults: ['never created'], images: 0 };
  const instance = (await call(`/api/process-manager/processInstances/${id}`, { token })).body;
  if (instance.status !== SUCCESS) faults.push(`ended as ${instance.status}`);
  const place = `/api/userdata-server/processDefinitions/${instance.processDefnId}/processInstances/${id}`;
  const checks = (await call(`${place}/userdata/checks`, { token })).body as { name: string; status: string }[];
  for (const { name, status } of checks) if (status !== 'PASSED') faults.push(`${name} ${status}`);
  const paths = [
    ...DOCUMENT_IMAGES.map((name) => `documents/doc1/${name}`),
    // In the sandbox one image is enough.
    ...FACE_IMAGES.slice(0, environment === 'live' ? undefined : 1).map((name) => `faces/face1/${name}`),
  ];
  let images = 0;
  for (const path of paths) {
    const image = await call(`${place}/getdata?path=${path}`, { token });
    if (image.status === 200 && image.body.data) images += 1;
    else faults.push(`${path} cannot be read: ${image.status} ${image.body?.code}`);
  }
  return { faults, images };
}

type EventCount = { id: string; type: string; count: number };

/** Compares the number of events with that of webhooks, each with an id of its own. */
async function checkWebhooks(people: readonly Person[], { ask, deliveries }: JourneyFacts): Promise<string[]> {
  const types = REPORTED.map((type) => `'${type}'`).join(', ');
  const { rows } = await ask(`SELECT instance_id AS id, type, CAST(count(*) AS INTEGER) AS count
    FROM instance_events WHERE type IN (${types}) GROUP BY instance_id, type`);
  const own = new Set(people.map(({ id }) => id));
  return (rows as EventCount[])
    .filter(({ id }) => own.has(id))
    .flatMap(({ id, type, count }) => {
      const ids = new Set(
        deliveries.filter((each) => each.instanceId === id && each.type === type).map((each) => each.id),
      );
      return ids.size === count ? [] : [`${ids.size} webhooks for ${count} × ${type} of ${id}`];
    });
}
