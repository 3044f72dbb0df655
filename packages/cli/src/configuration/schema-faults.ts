import { Ajv2020 } from 'ajv/dist/2020.js';
import { localFetch } from '../local-fetch.ts';
import { FILE_KINDS, type Kind } from './kinds.ts';
import type { ResourceFile } from './resources.ts';

/** Validates the files by the server's published schemas, so that all faults are known before anything changes. */
const TIMEOUT_MS = 30_000;
const MAX_FAULTS = 200;

export async function schemaFaults(baseUrl: string, resources: readonly ResourceFile[]): Promise<string[]> {
  const faults: string[] = [];
  for (const kind of FILE_KINDS) {
    const own = resources.filter((each) => each.kind === kind);
    const items = own.length > 0 ? await publishedItems(baseUrl, kind) : undefined;
    if (!items) continue;
    const validate = new Ajv2020({ strict: false, allErrors: true, validateFormats: false }).compile(items);
    for (const { values, pointer, placeOf } of own) {
      if (validate(values)) continue;
      for (const { instancePath, message, params } of validate.errors ?? []) {
        const { additionalProperty } = params as { additionalProperty?: string };
        const at = `${pointer}${instancePath}${additionalProperty === undefined ? '' : `/${additionalProperty}`}`;
        faults.push(`${placeOf(at)} ${at} ${additionalProperty === undefined ? message : 'is unknown'}`);
      }
    }
  }
  return faults.slice(0, MAX_FAULTS);
}

/** The schema of one entry of the list. A server of an older release has none, and reports faults later. */
async function publishedItems(baseUrl: string, kind: Kind): Promise<object | undefined> {
  const address = new URL(`/schemas/${kind}.json`, baseUrl);
  const answer = await localFetch(address, { signal: AbortSignal.timeout(TIMEOUT_MS) });
  if (!answer.ok) return undefined;
  const { properties } = (await answer.json()) as { properties: Record<string, { items: object }> };
  return properties[kind]?.items;
}
