import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import { createClient } from '@grove/sdk';
import { stringify } from 'yaml';
import { type Environment, startGrove, temporaryFolder } from './grove.ts';

/** A server to call, and a folder to configure it from. */
export async function configurable(t: TestContext) {
  const { url, ready } = await startGrove(t, { GROVE_DATA: temporaryFolder(t) });
  const apiKey = ready.apiKey ?? '';
  const env: Environment = { GROVE_URL: url, GROVE_API_KEY: apiKey };
  const folder = temporaryFolder(t);
  return { env, folder, client: createClient({ baseUrl: url, apiKey }), write: writerIn(folder) };
}

/** Writes text as it is, and anything else as YAML. */
export function writerIn(folder: string) {
  return (file: string, content: unknown) => {
    const path = join(folder, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, typeof content === 'string' ? content : stringify(content));
  };
}

export const decide = { id: 'decide', type: 'decision' };
export const consent = { id: 'consent', type: 'consent' };
export const selfie = { id: 'selfie', type: 'face' };
