import { openSigningKeys, type SigningKeys } from './arthr/tokens/signing-keys.ts';
import { baseUrlOf, type Config } from './config.ts';
import type { Db } from './db/db.ts';
import { openDb } from './db/open.ts';
import { type JobOperations, operations } from './jobs/operate.ts';
import { systemClock } from './kernel/clock.ts';
import { openSecrets } from './open-secrets.ts';
import { type OperatorAdmin, operatorAdmin } from './operators/operator-admin.ts';
import type { Vault } from './secrets/vault.ts';
import { openTenantRegions } from './tenants/tenant-regions.ts';
import { openTenants, type Tenants } from './tenants/tenants.ts';

/**
 * An installation without its server, for commands that run beside one: they need no routes and features, which take
 * longer to load than the commands take.
 */
export type Operator = {
  db: Db;
  vault: Vault;
  signing: SigningKeys;
  tenants: Tenants;
  operators: OperatorAdmin;
  jobs: JobOperations;
  stop(): Promise<void>;
};

/** The database must have been migrated. */
export async function openOperator(config: Config): Promise<Operator> {
  const clock = systemClock;
  // A connection that is lost between two statements fails the next statement, which reports it.
  const ignoreError = () => undefined;
  const db = openDb(config.database, ignoreError);
  try {
    const { vault, peppers } = await openSecrets(config, db, clock);
    const [pepper] = peppers;
    if (!pepper) throw new Error('there is no pepper for API keys');
    const signing = await openSigningKeys({ db, vault, clock, onError: ignoreError });
    const { elsewhere, close } = openTenantRegions(config, ignoreError);
    const deps = { db, vault, clock, pepper, elsewhere };
    return {
      db,
      vault,
      signing,
      jobs: operations(db, clock, ignoreError),
      operators: operatorAdmin({ db, clock, baseUrlOf: baseUrlOf(config, config.port) }),
      tenants: {
        ...openTenants(deps),
        async create(tenant) {
          const { installShipped } = await import('./process-manager/install-shipped.ts');
          return openTenants({ ...deps, onCreate: installShipped }).create(tenant);
        },
      },
      stop() {
        close();
        return db.close();
      },
    };
  } catch (error) {
    await db.close();
    throw error;
  }
}
