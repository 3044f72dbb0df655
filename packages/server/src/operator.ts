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
 * An installation without its server, for whoever works beside one: what an operator does needs none of its routes and
 * features, and to load those takes longer than to do it.
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
  // Whatever is lost between two statements, the next of them says so.
  const unheard = () => undefined;
  const db = openDb(config.database, unheard);
  try {
    const { vault, peppers } = await openSecrets(config, db, clock);
    const [pepper] = peppers;
    if (!pepper) throw new Error('there is no pepper for API keys');
    const signing = await openSigningKeys({ db, vault, clock, onError: unheard });
    const { elsewhere, close } = openTenantRegions(config, unheard);
    const deps = { db, vault, clock, pepper, elsewhere };
    return {
      db,
      vault,
      signing,
      jobs: operations(db, clock, unheard),
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
