import { type Reads, sql, type Writes } from '../../db/db.ts';

export type SigningKeyRow = { kid: string; public_key: string; created_at: number; retired_at: number | null };

const LIVE = sql(`SELECT kid, public_key, created_at, retired_at FROM signing_keys
  WHERE retired_at IS NULL OR retired_at > $1 ORDER BY created_at DESC, kid DESC LIMIT 100`);
const ADD = sql('INSERT INTO signing_keys (kid, public_key, created_at) VALUES ($1, $2, $3)');
const RETIRE = sql('UPDATE signing_keys SET retired_at = $2 WHERE retired_at IS NULL AND kid <> $1');

/** The newest key and those retired after the given moment, newest first. */
export function findLiveSigningKeys(db: Reads, retiredAfter: number): Promise<SigningKeyRow[]> {
  return db.all<SigningKeyRow>(LIVE, [retiredAfter]);
}

/** The new key is published from now on and signs soon; the others retire. */
export async function addSigningKey(tx: Writes, key: { kid: string; publicKey: string; now: number }): Promise<void> {
  await tx.run(ADD, [key.kid, key.publicKey, key.now]);
  await tx.run(RETIRE, [key.kid, key.now]);
}
