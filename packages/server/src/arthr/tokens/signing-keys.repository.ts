import type { Writes } from '../../db/db.ts';
import { query, statement } from '../../db/sql/statement.ts';

export type SigningKeyRow = { kid: string; public_key: string; created_at: number; retired_at: number | null };
const ADD = statement('INSERT INTO signing_keys (kid, public_key, created_at) VALUES (:kid, :publicKey, :now)');
const RETIRE = statement('UPDATE signing_keys SET retired_at = :now WHERE retired_at IS NULL AND kid <> :kid');

/** The newest key and those retired after the given moment, newest first. */
export const findLiveSigningKeys =
  query<SigningKeyRow>()(`SELECT kid, public_key, created_at, retired_at FROM signing_keys
  WHERE retired_at IS NULL OR retired_at > :retiredAfter ORDER BY created_at DESC, kid DESC LIMIT 100`).all;

/** The new key is published from now on and signs soon; the others retire. */
export async function addSigningKey(tx: Writes, key: { kid: string; publicKey: string; now: number }): Promise<void> {
  await ADD.run(tx, key);
  await RETIRE.run(tx, key);
}
