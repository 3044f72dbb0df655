import { type ComparisonOptions, compare } from './compare.ts';
import { type Load, type LoadRequest, probe, REQUESTS_PER_VARIANT } from './load.ts';
import {
  bearerOf,
  createKeyRequest,
  getKeyRequest,
  issueRequest,
  listKeysRequest,
  type TokenHolder,
} from './requests.ts';
import type { Comparison } from './results.ts';
import type { Seeded, Writer } from './seed.ts';
import { startYardstick, type Target } from './target.ts';
import type { YardstickSettings } from './yardstick.ts';

/** The scenarios that load a server and its yardstick side by side. */
export type ComparedName = 'issue' | 'get-key' | 'list-keys' | 'create-key';

type Plan = { settings: YardstickSettings; answerBytes: number; loadOf(round: number): Load };
type Site = { origin: string; seeded: Seeded; seconds: number };

// More than any machine we know creates: a tenant that is full refuses, and the scenario fails.
const MOST_CREATED_PER_SECOND = 20_000;

/** How many tenants it takes to create keys for so many seconds. */
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
};

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

/** The yardstick against itself: what differs is the noise of the machine. */
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
