import { readConfig } from '../../src/config.ts';
import { openDb } from '../../src/db/open.ts';
import { parseAllowList } from '../../src/engines/outbound/allow-list.ts';
import { openOutbound } from '../../src/engines/outbound/outbound.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { asTenantId } from '../../src/kernel/ids.ts';
import { openNotifications } from '../../src/notification-service/notifications.ts';
import { openMasterKey } from '../../src/secrets/master-key.ts';
import { openVault } from '../../src/secrets/vault.ts';
import { eventOf } from '../instance-event.ts';

/** A server that adds events as fast as it can and writes a line for each, while it sends webhooks. */
const LEASE_MS = 500;
const TELLERS = 4;
process.stdin.on('end', () => process.exit()).resume();
const config = readConfig(process.env);
const db = openDb(config.database, () => undefined);
const vault = openVault({ master: openMasterKey(config.masterKey), clock: systemClock });
const allow = parseAllowList(config.outboundAllow) ?? { ranges: [], targets: new Set() };
const notifications = openNotifications({
  db,
  vault,
  clock: systemClock,
  leaseMs: LEASE_MS,
  log: { info: () => undefined, warn: () => undefined, error: () => undefined },
  outbound: openOutbound({ allow }),
  findSecret: async () => ({ fault: 'missing_secret' }),
  secretHostFault: async () => undefined,
  parametersOf: async () => undefined,
  everyTenantId: async function* () {},
});
notifications.startWork();
process.stdout.write('ready\n');
const tenant = db.of(asTenantId('acme'));
const tell = async () => {
  for (;;) {
    const event = eventOf(Date.now());
    await tenant.write((tx) => notifications.notify(tx, event));
    process.stdout.write(`${event.instanceId}\n`);
  }
};
await Promise.all(Array.from({ length: TELLERS }, tell));
