import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openApp } from '@grove/server/app';
import { openOutbound } from '../packages/server/src/engines/outbound/outbound.ts';
import { systemClock } from '../packages/server/src/kernel/clock.ts';
import { asTenantId, newId } from '../packages/server/src/kernel/ids.ts';
import { permissionSet } from '../packages/server/src/kernel/permissions.ts';
import { type Notifications, openNotifications } from '../packages/server/src/notification-service/notifications.ts';
import { limitChecks } from './bars.ts';
import { benchConfig } from './config.ts';
import type { Figures } from './results.ts';
import type { Installation } from './seed.ts';

/**
 * Measures how long it takes until all receivers that answer have received all events, while other receivers never answer.
 * The receivers run in this process too, which makes the result a little worse.
 */
const EVENTS = 10_000;
const RECEIVERS = 100;
const HANGING = 10;
// SQLite allows a transaction five seconds.
const EVENTS_PER_TRANSACTION = 500;
const GIVE_UP_MS = 300_000;

type Options = { progress(text: string): void; events?: number };

export async function measureWebhooks(
  name: 'webhooks' | 'webhooks-pg',
  { place, seeded }: Installation,
  { progress, events = EVENTS }: Options,
): Promise<Figures> {
  const [tenant] = seeded.writers;
  if (!tenant) throw new Error('there is no tenant');
  const tenantId = asTenantId(tenant.tenantId);
  const { db, vault, stop } = await openApp(benchConfig(place));
  const live = (RECEIVERS - HANGING) * (events / RECEIVERS);
  const receivers = openReceivers(live);
  const targets = new Set<string>();
  const notifications = openNotifications({
    db,
    vault,
    clock: systemClock,
    stopWithinMs: 100,
    log: { info: () => undefined, warn: () => undefined, error: (_, text) => progress(`${name}: ${text}`) },
    outbound: openOutbound({ allow: { ranges: [], targets } }),
    findSecret: async () => ({ fault: 'missing_secret' }),
    secretHostFault: async () => undefined,
    parametersOf: async () => undefined,
    everyTenantId: async function* () {},
  });
  try {
    for (let at = 0; at < RECEIVERS; at++) {
      const host = await receivers.open(at < HANGING);
      targets.add(host);
      await addWebhook(notifications, db.of(tenantId), `hook ${at}`, `http://${host}/`);
    }
    notifications.startWork();
    const started = performance.now();
    for (let from = 0; from < events; from += EVENTS_PER_TRANSACTION) {
      await db.of(tenantId).write(async (tx) => {
        for (let at = from; at < Math.min(events, from + EVENTS_PER_TRANSACTION); at++) {
          await notifications.notifyStep(tx, `hook ${at % RECEIVERS}`, eventOf(at));
        }
      });
    }
    const writtenMs = performance.now() - started;
    await receivers.all();
    const seconds = (performance.now() - started) / 1000;
    progress(`${name}: ${live} deliveries in ${seconds.toFixed(1)} s, ${HANGING} receivers hanging`);
    return {
      kind: 'figures',
      name,
      figures: [
        { what: 'all webhooks sent', value: seconds, unit: 's' },
        { what: 'webhooks sent', value: live / seconds, unit: 'deliveries/s' },
        { what: 'events written', value: (events * 1000) / writtenMs, unit: 'events/s' },
      ],
      series: { seconds: [seconds] },
      checks: limitChecks('all webhooks sent', seconds),
    };
  } finally {
    await notifications.stop();
    receivers.close();
    await stop();
  }
}

function eventOf(sequence: number) {
  const at = Date.now();
  return {
    environment: 'live' as const,
    type: 'instance.completed',
    status: 'COMPLETED_ENDED_SUCCESS',
    at,
    sequence,
    instanceId: newId(at),
    processDefnId: newId(at),
    processDefnName: 'bench',
    processDefnVersion: 1,
  };
}

type TenantDb = Parameters<Notifications['handlers']['webhooks']['create']>[0]['db'];

async function addWebhook({ handlers }: Notifications, db: TenantDb, name: string, uri: string): Promise<void> {
  const { tenantId } = db;
  const permissions = permissionSet(tenantId, [`TNT#${tenantId}#*`]);
  const principal = { tenantId, callerId: 'bench', callerName: 'Bench', environment: 'live' as const, permissions };
  const context = { tenantId, principal, db, now: Date.now(), requestId: 'bench', address: '', accept: undefined };
  await handlers.webhooks.create(context, { params: {}, query: {}, body: { name, uri } });
}

function openReceivers(expected: number) {
  const servers: Server[] = [];
  const receivedIds = new Set<string>();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  return {
    /** Opens another receiver and returns its `host:port`. */
    async open(hangs: boolean): Promise<string> {
      const server = createServer((request, answer) => {
        request.resume();
        if (hangs) return;
        receivedIds.add(String(request.headers['webhook-id']));
        answer.writeHead(204).end();
        if (receivedIds.size === expected) resolve();
      });
      servers.push(server);
      await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
      return `127.0.0.1:${(server.address() as AddressInfo).port}`;
    },
    async all(): Promise<void> {
      const late = setTimeout(
        () => reject(new Error(`${receivedIds.size} of ${expected} events arrived in time`)),
        GIVE_UP_MS,
      );
      await promise;
      clearTimeout(late);
    },
    close() {
      for (const server of servers) {
        server.closeAllConnections();
        server.close();
      }
    },
  };
}
