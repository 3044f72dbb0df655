import { createHash, randomBytes } from 'node:crypto';
import type { Environment } from '../../kernel/environment.ts';
import { isTenantId, type TenantId } from '../../kernel/ids.ts';
import type { PageFile } from './check-files.ts';

/**
 * Where a version of a page is shown is named by what it consists of: `<hash>-<tenantId>`, one DNS label. So each version
 * of each tenant has an origin of its own, and what is kept in a cache under it is never stale.
 */
const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';
/** A hundred bits; with the longest name of a tenant a label still has room for it. */
const HASH_LENGTH = 20;
const LABEL = new RegExp(`^([a-z2-7]{${HASH_LENGTH}})-(.+)$`);

export function hashOf(
  { tenantId, environment }: { tenantId: TenantId; environment: Environment },
  files: readonly Pick<PageFile, 'path' | 'sha256'>[],
): string {
  // A page of a test key never answers at the address of a live page that was withdrawn.
  const owner = environment === 'live' ? tenantId : `${tenantId} ${environment}`;
  const manifest = JSON.stringify([owner, files.map(({ path, sha256 }) => [path, sha256])]);
  return lettersOf(createHash('sha256').update(manifest).digest());
}

/** For a preview: nobody can guess it, and it says nothing of what it shows. */
export function newPreviewHash(): string {
  return lettersOf(randomBytes(HASH_LENGTH));
}

export function labelOf(tenantId: TenantId, hash: string): string {
  return `${hash}-${tenantId}`;
}

export function readLabel(label: string): { tenantId: TenantId; hash: string } | undefined {
  const [, hash, tenantId] = LABEL.exec(label) ?? [];
  return hash !== undefined && tenantId !== undefined && isTenantId(tenantId) ? { tenantId, hash } : undefined;
}

function lettersOf(bytes: Buffer): string {
  return Array.from(bytes.subarray(0, HASH_LENGTH), (byte) => ALPHABET[byte % ALPHABET.length]).join('');
}
