import type { Writes } from '../../db/db.ts';
import { integer, optional, table, text } from '../../db/sql/table.ts';

const keys = table('signing_keys', {
  kid: text(),
  public_key: text(),
  created_at: integer(),
  retired_at: optional(integer()),
});
const ADD = keys.insert();
const RETIRE = keys.update(['retired_at'], 'WHERE retired_at IS NULL AND kid <> :kid');

/** The newest key and those retired after the given moment, newest first. */
export const findLiveSigningKeys = keys.select(
  ['kid', 'public_key', 'created_at', 'retired_at'],
  'WHERE retired_at IS NULL OR retired_at > :retiredAfter ORDER BY created_at DESC, kid DESC LIMIT 100',
).all;

type NewKey = { kid: string; publicKey: string; now: number };

/** The new key is published from now on and signs soon; the others retire. */
export async function addSigningKey(tx: Writes, { kid, publicKey, now }: NewKey): Promise<void> {
  await ADD.run(tx, { kid, public_key: publicKey, created_at: now, retired_at: null });
  await RETIRE.run(tx, { kid, retired_at: now });
}
