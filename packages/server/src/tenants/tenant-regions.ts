import { readFileSync, statSync } from 'node:fs';
import { type Config, ConfigError } from '../config.ts';
import { isTenantId } from '../kernel/ids.ts';
import { isRegion, REGIONS, type Region } from '../kernel/regions.ts';

/**
 * The directory of an installation in several regions: the region in which each tenant lives. Every region has the same
 * file, which names tenants and holds nothing else about them.
 */
export type TenantRegions = {
  /** The region of a tenant that does not live in this one. Undefined for the others, and for those that nobody listed. */
  elsewhere(tenantId: string): Region | undefined;
  close(): void;
};

const MAX_BYTES = 16 * 2 ** 20;
const LOOK_EVERY_MS = 5000;

/** Reads the file, and reads it again when it has changed. If the new one has a fault, it is reported and not used. */
export function openTenantRegions(
  { tenantRegions: file, region }: Pick<Config, 'tenantRegions' | 'region'>,
  onError: (error: unknown) => void,
  lookEveryMs = LOOK_EVERY_MS,
): TenantRegions {
  if (file === undefined) return { elsewhere: () => undefined, close: () => undefined };
  // Read before the file itself, so that the next look notices a change in between.
  let version = versionOf(file);
  let regions = readTenantRegions(file);
  const timer = setInterval(() => {
    const newVersion = versionOf(file);
    if (newVersion === version) return;
    version = newVersion;
    try {
      regions = readTenantRegions(file);
    } catch (error) {
      onError(error);
    }
  }, lookEveryMs).unref();
  return {
    elsewhere(tenantId) {
      const home = regions.get(tenantId);
      return home === region ? undefined : home;
    },
    close: () => clearInterval(timer),
  };
}

/** A text that differs if the file was replaced, changed or removed. */
function versionOf(file: string): string {
  const { ino, mtimeNs, size } = statSync(file, { bigint: true, throwIfNoEntry: false }) ?? {};
  return `${ino} ${mtimeNs} ${size}`;
}

/** Throws a `ConfigError` that names every fault. */
export function readTenantRegions(file: string): ReadonlyMap<string, Region> {
  const entries = Object.entries(readObject(file));
  const faults = entries.flatMap(([tenantId, region]) => {
    if (!isTenantId(tenantId)) return [`${JSON.stringify(tenantId)} is no tenant id`];
    if (!isRegion(region)) return [`the region of ${tenantId} must be one of ${REGIONS.join(', ')}`];
    return [];
  });
  if (faults.length > 0) throw new ConfigError(faults.slice(0, MAX_FAULTS).map((fault) => `${where(file)}: ${fault}.`));
  return new Map(entries as [string, Region][]);
}

const MAX_FAULTS = 20;

function readObject(file: string): object {
  try {
    if (statSync(file).size > MAX_BYTES) throw new Error(`it has more than ${MAX_BYTES} bytes`);
    const value: unknown = JSON.parse(readFileSync(file, 'utf8'));
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
    throw new Error('it is no JSON object');
  } catch (error) {
    const { message } = error as Error;
    throw new ConfigError([`${where(file)} must be a JSON object such as {"acme": "oak"}: ${message}.`]);
  }
}

const where = (file: string) => `GROVE_TENANT_REGIONS (${file})`;
