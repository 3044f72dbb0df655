import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { appkeyRequests } from './appkeys.ts';
import { temporaryFolder } from './clean-up.ts';
import { type ComparisonOptions, type ComparisonPlan, compare } from './compare.ts';
import { atDocument, pictureOf } from './end-users.ts';
import { totpRounds, userRequests } from './identity.ts';
import { type LoadRequest, probe, REQUESTS_PER_VARIANT } from './load.ts';
import { passkeyRequests } from './passkeys.ts';
import {
  bearerOf,
  createInstanceRequest,
  createKeyRequest,
  getInstanceRequest,
  getKeyRequest,
  issueRequest,
  listInstancesRequest,
  listKeysRequest,
  searchRequest,
  type TokenHolder,
} from './requests.ts';
import type { Comparison } from './results.ts';
import type { Seeded, Writer } from './seed.ts';
import { FEW_INSTANCES, MANY_INSTANCES } from './seed-instances.ts';
import { applicant } from './seed-process.ts';
import { startYardstick, type Target } from './target.ts';
import type { YardstickSettings } from './yardstick.ts';

/** The scenarios that load a server and its yardstick side by side. */
export type ComparedName =
  | 'issue'
  | 'get-key'
  | 'list-keys'
  | 'create-key'
  | 'get-instance'
  | 'create-instance'
  | 'get-data'
  | 'totp-authenticate'
  | 'appkey-authenticate'
  | 'passkey-finish'
  | 'user-by-ext-id'
  | InstancesName;
/** Scenarios that find some among many instances. */
export type InstancesName = 'search-10k' | 'search-1m' | 'list-instances' | 'list-instances-page-50';

type Plan = { settings: YardstickSettings; answerBytes: number; loadOf: ComparisonPlan['loadOf'] };
type Site = { origin: string; seeded: Seeded; seconds: number };

// More than any known machine creates. If a tenant were full, it would refuse, and the scenario would fail.
const MOST_CREATED_PER_SECOND = 20_000;

/** How many tenants are needed to create keys for this number of seconds. */
export function writersFor(seconds: number): number {
  return Math.ceil((seconds * MOST_CREATED_PER_SECOND) / REQUESTS_PER_VARIANT);
}

const plans: Readonly<Record<ComparedName, (site: Site) => Promise<Plan>>> = {
  async issue({ origin, seeded }) {
    const request = issueRequest(seeded.apiKey);
    const { text, bytes, contentType } = await probe(origin, request, 200);
    const { token, ttl } = JSON.parse(text) as { token: string; ttl: number };
    const [header, claims] = token.split('.', 2).map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()));
    return {
      settings: { kind: 'sign', contentType, header, claims, ttl },
      answerBytes: bytes,
      loadOf: () => ({ requests: [request] }),
    };
  },

  async 'get-key'({ origin, seeded }) {
    return echoed(origin, getKeyRequest(await bearerOf(origin, seeded.apiKey), seeded.keyId), 200);
  },

  async 'list-keys'({ origin, seeded }) {
    return echoed(origin, listKeysRequest(await bearerOf(origin, seeded.apiKey)), 200);
  },

  async 'create-key'({ origin, seeded, seconds }) {
    const holders = await tokenHolders(origin, seeded.writers);
    const each = writersFor(seconds);
    const requestOf = (round: number) => createKeyRequest(holders.slice(round * each, (round + 1) * each));
    const { settings, answerBytes } = await echoed(origin, requestOf(0), 201);
    return { settings, answerBytes, loadOf: (round) => ({ requests: [requestOf(round)] }) };
  },

  async 'get-instance'({ origin, seeded }) {
    const bearer = await bearerOf(origin, seeded.apiKey);
    return echoed(origin, getInstanceRequest(bearer, seeded.process.instanceId), 200);
  },

  async 'create-instance'({ origin, seeded }) {
    const bearer = await bearerOf(origin, seeded.apiKey);
    return echoed(origin, createInstanceRequest(bearer, seeded.process.tokenId), 201);
  },

  'get-data': storedImage,

  async 'totp-authenticate'({ origin, seeded }) {
    const bearer = await bearerOf(origin, seeded.apiKey);
    const next = totpRounds(bearer);
    const { settings, answerBytes } = await echoed(origin, (await next())[0] as LoadRequest, 200);
    return { settings, answerBytes, loadOf: async () => ({ requests: await next() }) };
  },

  async 'appkey-authenticate'({ origin, seeded }) {
    const bearer = await bearerOf(origin, seeded.apiKey);
    const [first] = appkeyRequests(bearer, 1);
    const { status, contentType, bytes } = await probe(origin, first as LoadRequest, 200);
    return {
      settings: { kind: 'verify', status, contentType, bytes },
      answerBytes: bytes,
      loadOf: () => ({ requests: appkeyRequests(bearer) }),
    };
  },

  async 'passkey-finish'({ origin, seeded }) {
    const bearer = await bearerOf(origin, seeded.apiKey);
    const [first] = passkeyRequests(bearer, 0, 1);
    const { status, contentType, bytes } = await probe(origin, first as LoadRequest, 200);
    return {
      settings: { kind: 'verify', status, contentType, bytes },
      answerBytes: bytes,
      loadOf: (round) => ({ requests: passkeyRequests(bearer, round + 1) }),
    };
  },

  async 'user-by-ext-id'({ origin, seeded }) {
    const requests = await userRequests(origin, seeded.apiKey);
    const { settings, answerBytes } = await echoed(origin, requests[0] as LoadRequest, 200);
    return { settings, answerBytes, loadOf: () => ({ requests }) };
  },

  'search-10k': (site) => searched(site, FEW_INSTANCES),
  'search-1m': (site) => searched(site, MANY_INSTANCES),
  'list-instances': (site) => listed(site, 0),
  'list-instances-page-50': (site) => listed(site, 50),
};

/** Searches for people from all over the list by e-mail, by both names, and by the last name. */
async function searched({ origin, seeded }: Site, people: number): Promise<Plan> {
  const bearer = await bearerOf(origin, seeded.apiKey);
  const requests = Array.from({ length: SEARCHES }, (_, at) => {
    const { firstName, lastName, email } = applicant(Math.floor((at * people) / SEARCHES));
    return searchRequest(bearer, [email, `${firstName} ${lastName}`, lastName][at % 3] ?? '');
  });
  const probes = await Promise.all(requests.map((request) => probe(origin, request, 200)));
  const [first] = probes;
  if (!first) throw new Error('there is no search request');
  // The yardstick answers all requests with the average number of bytes.
  const bytes = Math.round(probes.reduce((sum, each) => sum + each.bytes, 0) / probes.length);
  return {
    settings: { kind: 'echo', status: 200, contentType: first.contentType, bytes },
    answerBytes: bytes,
    loadOf: () => ({ requests }),
  };
}

const IMAGE_BYTES = 2_000_000;

/** Reads an image that was uploaded, re-encoded and sealed, as bytes. The yardstick streams a plain file of the same size. */
async function storedImage({ origin, seeded }: Site): Promise<Plan> {
  const bearer = await bearerOf(origin, seeded.apiKey);
  const { id, path, cookie } = await atDocument(origin, bearer, seeded.process.tokenId);
  const init = {
    method: 'POST',
    headers: { cookie, 'Content-Type': 'image/jpeg' },
    body: await pictureOf(IMAGE_BYTES),
  };
  const uploaded = await fetch(`${origin}${path}`, init);
  if (!uploaded.ok) throw new Error(await uploaded.text());
  const { text } = await probe(origin, getInstanceRequest(bearer, id), 200);
  const { processDefnId } = JSON.parse(text) as { processDefnId: string };
  const item = `/api/userdata-server/processDefinitions/${processDefnId}/processInstances/${id}/getdata`;
  const request: LoadRequest = {
    method: 'GET',
    path: `${item}?path=documents%2Fdoc1%2Ffront%2Funcropped`,
    variants: [{ headers: { Authorization: `Bearer ${bearer}`, Accept: 'image/*' } }],
  };
  const { contentType, bytes } = await probe(origin, request, 200);
  const folder = temporaryFolder();
  const file = join(folder.path, 'image');
  writeFileSync(file, randomBytes(bytes));
  return {
    settings: { kind: 'file', contentType, path: file, bytes },
    answerBytes: bytes,
    loadOf: () => ({ requests: [request] }),
  };
}

const SEARCHES = 99;

async function listed({ origin, seeded }: Site, page: number): Promise<Plan> {
  return echoed(origin, listInstancesRequest(await bearerOf(origin, seeded.apiKey), page), 200);
}

async function echoed(origin: string, request: LoadRequest, expectedStatus: number): Promise<Plan> {
  const { status, contentType, bytes } = await probe(origin, request, expectedStatus);
  return {
    settings: { kind: 'echo', status, contentType, bytes },
    answerBytes: bytes,
    loadOf: () => ({ requests: [request] }),
  };
}

export async function tokenHolders(origin: string, writers: readonly Writer[]): Promise<TokenHolder[]> {
  const holders: TokenHolder[] = [];
  for (const { tenantId, apiKey } of writers) holders.push({ tenantId, bearer: await bearerOf(origin, apiKey) });
  return holders;
}

/** `label` is the name in the report: the same scenario runs on both databases. */
export async function compareWithYardstick(
  scenario: { name: ComparedName; label: string; server: Target; seeded: Seeded },
  options: ComparisonOptions,
): Promise<Comparison> {
  const { name, label, server, seeded } = scenario;
  const { settings, ...plan } = await plans[name]({ origin: server.origin, seeded, seconds: options.seconds });
  const yardstick = await startYardstick(settings);
  try {
    return await compare({ name: label, server, yardstick, ...plan }, options);
  } finally {
    await yardstick.stop();
  }
}

const ECHO_BYTES = 1000;

/** Compares the yardstick with itself: the difference is the noise of the machine. */
export async function compareEcho(options: ComparisonOptions): Promise<Comparison> {
  const settings = { kind: 'echo', status: 200, contentType: 'application/json', bytes: ECHO_BYTES } as const;
  const server = await startYardstick(settings);
  try {
    const yardstick = await startYardstick(settings);
    try {
      const request: LoadRequest = { method: 'GET', path: '/', variants: [{ headers: {} }] };
      const plan = { name: 'echo', server, yardstick, answerBytes: ECHO_BYTES };
      return await compare({ ...plan, loadOf: () => ({ requests: [request] }) }, options);
    } finally {
      await yardstick.stop();
    }
  } finally {
    await server.stop();
  }
}
