import { type LoadRequest, probe, type Variant } from './load.ts';
import { permissionsOf } from './seed.ts';

/** The calls that are measured. */
const KEYS = '/api/arthr/apiKeys';

/** A tenant in which a scenario writes, with its bearer token. */
export type TokenHolder = { tenantId: string; bearer: string };

export function issueRequest(apiKey: string): LoadRequest {
  return { method: 'POST', path: `${KEYS}/issue`, variants: [{ headers: { 'X-Api-Key': apiKey }, body: '' }] };
}

export function getKeyRequest(bearer: string, keyId: string): LoadRequest {
  return { method: 'GET', path: `${KEYS}/${keyId}`, variants: [{ headers: authorization(bearer) }] };
}

/** The first page with the default size: ten keys. */
export function listKeysRequest(bearer: string): LoadRequest {
  return { method: 'GET', path: KEYS, variants: [{ headers: authorization(bearer) }] };
}

export function createKeyRequest(writers: readonly TokenHolder[]): LoadRequest {
  const [first, ...others] = writers.map(({ tenantId, bearer }): Variant => {
    const key = { name: 'Measured key {n}', description: 'For measuring', permissions: permissionsOf(tenantId) };
    return {
      headers: { 'Content-Type': 'application/json', ...authorization(bearer) },
      body: JSON.stringify(key),
    };
  });
  if (!first) throw new Error('there is no tenant that creates keys');
  return { method: 'POST', path: KEYS, variants: [first, ...others] };
}

const INSTANCES = '/api/process-manager/processInstances';

export function getInstanceRequest(bearer: string, instanceId: string): LoadRequest {
  return { method: 'GET', path: `${INSTANCES}/${instanceId}`, variants: [{ headers: authorization(bearer) }] };
}

export function listInstancesRequest(bearer: string, page: number): LoadRequest {
  return { method: 'GET', path: `${INSTANCES}?page=${page}`, variants: [{ headers: authorization(bearer) }] };
}

export function searchRequest(bearer: string, searchString: string): LoadRequest {
  const path = `${INSTANCES}/search?searchString=${encodeURIComponent(searchString)}`;
  return { method: 'GET', path, variants: [{ headers: authorization(bearer) }] };
}

export function createInstanceRequest(bearer: string, tokenId: string): LoadRequest {
  const headers = { 'Content-Type': 'application/json', ...authorization(bearer) };
  return { method: 'POST', path: `${INSTANCES}/create?pt=${tokenId}`, variants: [{ headers, body: '{}' }] };
}

function authorization(bearer: string): Record<string, string> {
  return { Authorization: `Bearer ${bearer}` };
}

export async function bearerOf(origin: string, apiKey: string): Promise<string> {
  const { text } = await probe(origin, issueRequest(apiKey), 200);
  return (JSON.parse(text) as { token: string }).token;
}
