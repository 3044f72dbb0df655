import { type LoadRequest, probe } from './load.ts';
import { permissionsOf, writerTenant } from './seed.ts';

/** The calls that are measured. */
const KEYS = '/api/arthr/apiKeys';
const JSON_BODY = { 'Content-Type': 'application/json' };

export function issueRequest(apiKey: string): LoadRequest {
  return { method: 'POST', path: `${KEYS}/issue`, headers: { 'X-Api-Key': apiKey }, body: '' };
}

export function getKeyRequest(bearer: string, keyId: string): LoadRequest {
  return { method: 'GET', path: `${KEYS}/${keyId}`, headers: {}, bearers: [bearer] };
}

/** The first page as a caller gets it who asks for nothing else: ten keys. */
export function listKeysRequest(bearer: string): LoadRequest {
  return { method: 'GET', path: KEYS, headers: {}, bearers: [bearer] };
}

/** A key without permissions, because a permission names its tenant and the tenants are used in turn. */
export function createKeyRequest(bearers: readonly string[]): LoadRequest {
  const body = JSON.stringify({ name: 'Measured key {n}', description: 'For measuring' });
  return { method: 'POST', path: KEYS, headers: JSON_BODY, bearers, body };
}

export async function bearerOf(origin: string, apiKey: string): Promise<string> {
  const { text } = await probe(origin, issueRequest(apiKey), 200);
  return (JSON.parse(text) as { token: string }).token;
}
