import { createHash, randomBytes } from 'node:crypto';
import type { Environment } from '../../kernel/environment.ts';
import { isTenantId, type TenantId } from '../../kernel/ids.ts';
import type { PageFile } from './check-files.ts';

/**
 * The label of a version is one DNS label, `<hash>-<tenantId>`, where the hash covers the files. So each version of
 * each tenant has its own origin, and a cached file is never stale.
 */
const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';
/** 100 bits. A DNS label has room for this and for the longest tenant id. */
const HASH_LENGTH = 20;
const LABEL = new RegExp(`^([a-z2-7]{${HASH_LENGTH}})-(.+)$`);

export function hashOf(
  { tenantId, environment }: { tenantId: TenantId; environment: Environment },
  files: readonly Pick<PageFile, 'path' | 'sha256'>[],
): string {
  // The environment is part of the hash: a page of a test key must never appear at the URL of an archived live page.
  const owner = environment === 'live' ? tenantId : `${tenantId} ${environment}`;
  const manifest = JSON.stringify([owner, files.map(({ path, sha256 }) => [path, sha256])]);
  return lettersOf(createHash('sha256').update(manifest).digest());
}

/** Returns the hash for a preview: it is random, so nobody can guess it and it reveals nothing about the content. */
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
