import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import { stringify } from 'yaml';
import { openTestApp } from '../../server/test/harness.ts';
import { type Environment, temporaryFolder } from './grove.ts';

/** A server in the process of the test, because only the commands matter, and a folder to configure it from. */
export async function configurable(t: TestContext) {
  const data = mkdtempSync(join(tmpdir(), 'grove-cli-'));
  const app = await openTestApp({ engine: 'sqlite', folder: data, environment: { GROVE_DATA: data } });
  t.after(async () => {
    await app.stop();
    rmSync(data, { recursive: true, force: true });
  });
  const env: Environment = { GROVE_URL: app.baseUrl, GROVE_API_KEY: app.apiKey };
  const folder = temporaryFolder(t);
  return { env, folder, client: app.client, write: writerIn(folder) };
}

/** Writes texts unchanged, and anything else as YAML. */
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
