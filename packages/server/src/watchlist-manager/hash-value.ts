import { createHmac } from 'node:crypto';
import type { SystemDb } from '../db/db.ts';
import { normaliseValue } from '../kernel/normalise-value.ts';
import type { VersionedKey } from '../secrets/sealing.ts';
import type { Vault } from '../secrets/vault.ts';
import type { ListRow } from './watchlists.repository.ts';

/**
 * Hashes a value for searches, with a key that never leaves the installation, and bound to the list. Somebody who reads the
 * rows can neither guess values nor tell whether two lists have one in common. Undefined if the list cannot have the value.
 */
export type HashValue = (
  tenantId: string,
  list: Pick<ListRow, 'id' | 'type'>,
  value: string,
) => Promise<Buffer | undefined>;

const SECRET = 'watchlist-values';

export function valueHasher({ vault, system }: { vault: Pick<Vault, 'systemSecret'>; system: SystemDb }): HashValue {
  let secret: Promise<VersionedKey[]> | undefined;
  return async (tenantId, { id, type }, value) => {
    const normal = type === 'FACE' ? undefined : normaliseValue(type, value);
    if (normal === undefined) return undefined;
    secret ??= vault.systemSecret(system, SECRET).catch((error) => {
      secret = undefined;
      throw error;
    });
    // Always the first key: with another one, values that were hashed before would not be found.
    const first = (await secret).at(-1);
    if (!first) throw new Error('there is no secret to hash values with');
    return createHmac('sha256', first.key)
      .update(JSON.stringify([tenantId, id, normal]))
      .digest();
  };
}
