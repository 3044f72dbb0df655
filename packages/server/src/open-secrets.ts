import type { Config } from './config.ts';
import type { Db } from './db/db.ts';
import type { Clock } from './kernel/clock.ts';
import { openMasterKey } from './secrets/master-key.ts';
import { openVault } from './secrets/vault.ts';
import { OperatorError } from './tenants/tenants.ts';

const WRONG_MASTER_KEY =
  'The master key is not the one that sealed this database. Give Grove the key that belongs to it: see GROVE_MASTER_KEY and GROVE_MASTER_KEY_FILE.';

/** Opens the secrets of the installation. This proves that the master key belongs to them. */
export async function openSecrets({ masterKey }: Pick<Config, 'masterKey'>, db: Db, clock: Clock) {
  const master = openMasterKey(masterKey);
  const vault = openVault({ master, clock });
  db.seals.of = vault.personal;
  const peppers = await vault.systemSecret(db.system, 'api-key-pepper').catch(explainWrongKey);
  return { master, vault, peppers };
}

/** Replaces Node's message, "unable to authenticate data", which helps nobody. */
function explainWrongKey(error: unknown): never {
  const wrongKey =
    (error as { code?: string }).code === 'ERR_OSSL_BAD_DECRYPT' || /authenticate data/.test(String(error));
  throw wrongKey ? new OperatorError(WRONG_MASTER_KEY) : error;
}
