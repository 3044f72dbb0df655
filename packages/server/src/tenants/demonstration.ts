import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import type { Tenants } from './tenants.ts';

/**
 * The demonstration tenant: made on an empty data folder, so that a newcomer has something to call. It has two keys. The
 * live one is shown once, as every API key. That of the sandbox is kept in the data folder, readable by its owner alone, so
 * that a second start can show it again: it opens nothing but what the sandbox made. No other key is ever kept.
 */
export const DEMONSTRATION_TENANT = 'demo';

export type Demonstration = {
  tenantId: string;
  /** Only at the start that makes it. */
  apiKey: string | undefined;
  testApiKey: string;
  /** Process tokens whose links open a whole journey: one that looks at real pictures, and one of the sandbox. */
  tokenId: string;
  testTokenId: string;
};

/** Makes a process token and gives its id. */
export type CreateToken = (
  tenantId: string,
  environment: 'live' | 'test',
  token: { name: string; description: string; processDefnName: string },
) => Promise<string>;

/** Lets live journeys of the tenant accept documents of invented states. */
export type AllowSpecimens = (tenantId: string) => Promise<void>;

const FILE = 'demonstration.json';

export function readDemonstration(dataFolder: string): Demonstration | undefined {
  try {
    const stored = JSON.parse(readFileSync(`${dataFolder}/${FILE}`, 'utf8')) as Demonstration;
    const { tenantId, apiKey, testApiKey, tokenId, testTokenId } = stored;
    if (typeof testTokenId !== 'string') return undefined;
    const demonstration = { tenantId, testApiKey, tokenId, testTokenId };
    // Earlier releases kept the live key as well.
    if (apiKey !== undefined) keep(dataFolder, demonstration);
    return { ...demonstration, apiKey: undefined };
  } catch {
    return undefined;
  }
}

function keep(dataFolder: string, demonstration: Omit<Demonstration, 'apiKey'>): void {
  const file = `${dataFolder}/${FILE}`;
  rmSync(`${file}.new`, { force: true });
  writeFileSync(`${file}.new`, `${JSON.stringify(demonstration)}\n`, { mode: 0o600, flag: 'wx' });
  renameSync(`${file}.new`, file);
}

export async function ensureDemonstration(
  {
    tenants,
    createToken,
    allowSpecimens,
  }: { tenants: Tenants; createToken: CreateToken; allowSpecimens: AllowSpecimens },
  dataFolder: string,
): Promise<Demonstration> {
  const existing = readDemonstration(dataFolder);
  const exists = (await tenants.list()).some(({ id }) => id === DEMONSTRATION_TENANT);
  // A file that outlived its database shows a key that opens nothing.
  if (existing && exists) return existing;
  const tenantId = DEMONSTRATION_TENANT;
  const again = exists ? ` ${new Date().toISOString()}` : '';
  const newKey = (name: string, environment: 'live' | 'test') =>
    tenants.createApiKey(tenantId, { name: `${name}${again}`, environment });
  const { apiKey } = exists
    ? await newKey('Demonstration key', 'live')
    : await tenants.create({ id: tenantId, name: 'Demonstration', keyName: 'Demonstration key' });
  // Whoever tries it has no passport of Utopia but the one that `grove specimen` draws.
  await allowSpecimens(tenantId);
  const { apiKey: testApiKey } = await newKey('Demonstration test key', 'test');
  const processDefnName = 'document-and-selfie';
  const description = 'Its link opens the journey that a newcomer tries first';
  const newToken = (name: string, environment: 'live' | 'test') =>
    createToken(tenantId, environment, { name: `${name}${again}`, description, processDefnName });
  const tokenId = await newToken('Demonstration', 'live');
  const testTokenId = await newToken('Demonstration in the sandbox', 'test');
  const demonstration = { tenantId, testApiKey, tokenId, testTokenId };
  keep(dataFolder, demonstration);
  return { ...demonstration, apiKey };
}
