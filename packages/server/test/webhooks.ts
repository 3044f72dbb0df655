import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { api, Body } from '@grove/contract';
import { readConfig } from '../src/config.ts';
import type { Db } from '../src/db/db.ts';
import { openDb } from '../src/db/open.ts';
import { openOutbound } from '../src/engines/outbound/outbound.ts';
import { prepareInstallation } from '../src/installation.ts';
import type { Context } from '../src/kernel/context.ts';
import { asTenantId, type TenantId } from '../src/kernel/ids.ts';
import type { InstanceEvent } from '../src/kernel/instance-event.ts';
import { permissionSet } from '../src/kernel/permissions.ts';
import {
  type Notifications,
  type NotificationsDeps,
  openNotifications,
} from '../src/notification-service/notifications.ts';
import { cloudSecretHandlers } from '../src/process-manager/cloud-secrets/cloud-secrets.ts';
import { secretFinder, secretHostFault } from '../src/process-manager/cloud-secrets/find-secret.ts';
import { openMasterKey } from '../src/secrets/master-key.ts';
import { openVault, type Vault } from '../src/secrets/vault.ts';
import { everyTenantId, findTenant } from '../src/tenants/tenants.repository.ts';
import { addTestTenants } from './database.ts';
import { type TestClock, type TestPlace, testClock } from './harness.ts';
import { eventOf } from './instance-event.ts';

/** Webhooks on a real database, without the application around them, and real receivers. */
export type Received = { method: string; url: string; headers: Record<string, string>; body: string };

export type Receiver = {
  readonly uri: string;
  readonly received: Received[];
  /** Resolves when that many requests have arrived in all. */
  arrived(count: number): Promise<void>;
  close(): Promise<void>;
};

export type Answering = (request: Received, answer: ServerResponse, number: number) => void;

export const ok: Answering = (_request, answer) => void answer.writeHead(204).end();
export const hang: Answering = () => undefined;
export const status =
  (code: number, headers: Record<string, string> = {}): Answering =>
  (_request, answer) =>
    void answer.writeHead(code, headers).end();

export async function openReceiver(answering: Answering = ok): Promise<Receiver> {
  const received: Received[] = [];
  const waiting = new Set<{ count: number; tell(): void }>();
  const server = createServer(async (request, answer) => {
    const parsed = await readRequest(request);
    received.push(parsed);
    answering(parsed, answer, received.length);
    for (const each of waiting) if (received.length >= each.count) each.tell();
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    uri: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    arrived: (count) =>
      received.length >= count ? Promise.resolve() : new Promise((tell) => waiting.add({ count, tell })),
    async close() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

async function readRequest(request: IncomingMessage): Promise<Received> {
  let body = '';
  for await (const chunk of request.setEncoding('utf8')) body += chunk;
  const headers = request.headers as Record<string, string>;
  return { method: request.method ?? '', url: request.url ?? '', headers, body };
}

export type TestNotifications = Notifications & {
  db: Db;
  vault: Vault;
  clock: TestClock;
  tenantId: TenantId;
  secrets: ReturnType<typeof cloudSecretHandlers>;
  logged: string[];
  parameters: Map<string, Record<string, string>>;
  /** Another server on the same database. */
  another(more?: Partial<NotificationsDeps>): Notifications;
  /** Only receivers that were opened here can be reached. */
  receiver(answering?: Answering): Promise<Receiver>;
  contextOf(more?: { tenantId?: TenantId; environment?: 'live' | 'test' }): Context;
  webhook(
    uri: string,
    more?: Partial<Body<typeof api.webhooks.create>>,
    context?: Context,
  ): Promise<{ id: string; secret: string }>;
  tell(more?: Partial<InstanceEvent>, tenantId?: TenantId): Promise<InstanceEvent>;
  close(): Promise<void>;
};

export type TestNotificationsOptions = Partial<Omit<NotificationsDeps, 'clock'>> & {
  clock?: TestClock;
  /** `host:port` of other reachable receivers. */
  allowed?: readonly string[];
};

let webhooks = 0;

export async function openTestNotifications(
  place: TestPlace,
  { clock = testClock(), allowed = [], ...options }: TestNotificationsOptions = {},
): Promise<TestNotifications> {
  const config = readConfig(place.environment);
  await prepareInstallation(config);
  const db = options.db ?? openDb(config.database, () => undefined);
  const vault = openVault({ master: openMasterKey(config.masterKey), clock });
  for (const id of ['acme', 'other']) {
    if (await findTenant(db.system, { id })) continue;
    const [tenantId] = await addTestTenants(db, id);
    await db.of(tenantId).write((tx) => vault.createTenantKey(tx));
  }
  const tenantId = asTenantId('acme');
  const targets = new Set(allowed);
  const logged: string[] = [];
  const note = (details: object, text: string) => void logged.push(`${text} ${(details as { err?: Error }).err ?? ''}`);
  const parameters = new Map<string, Record<string, string>>();
  const deps: NotificationsDeps = {
    db,
    vault,
    clock,
    log: { info: note, warn: note, error: note },
    random: () => 0.5,
    outbound: openOutbound({ allow: { ranges: [], targets } }),
    findSecret: secretFinder({ vault, clock, audit: { noteUse: () => undefined } }),
    secretHostFault,
    parametersOf: async (_db, instanceId) => parameters.get(instanceId),
    everyTenantId: () => everyTenantId(db.system),
    ...options,
  };
  const notifications = openNotifications(deps);
  const opened: Receiver[] = [];
  const contextOf: TestNotifications['contextOf'] = ({ tenantId: of = tenantId, environment = 'live' } = {}) => ({
    tenantId: of,
    db: db.of(of),
    principal: {
      tenantId: of,
      callerId: 'key',
      callerName: 'Key',
      environment,
      permissions: permissionSet(of, [`TNT#${of}#*`]),
    },
    now: clock.now(),
    requestId: 'request',
    address: '127.0.0.1',
    accept: undefined,
  });
  return {
    ...notifications,
    db,
    vault,
    clock,
    tenantId,
    logged,
    parameters,
    contextOf,
    secrets: cloudSecretHandlers({ vault }),
    another: (more) =>
      openNotifications({ ...deps, outbound: openOutbound({ allow: { ranges: [], targets } }), ...more }),
    async receiver(answering) {
      const receiver = await openReceiver(answering);
      opened.push(receiver);
      targets.add(new URL(receiver.uri).host);
      return receiver;
    },
    async webhook(uri, more = {}, context = contextOf()) {
      webhooks += 1;
      const body = { name: `webhook ${webhooks}`, uri, events: ['*'], ...more };
      const webhook = await notifications.handlers.webhooks.create(context, { params: {}, query: {}, body });
      return webhook as { id: string; secret: string };
    },
    async tell(more = {}, of = tenantId) {
      const event = eventOf(clock.now(), more);
      await db.of(of).write((tx) => notifications.notify(tx, event));
      return event;
    },
    async close() {
      await notifications.stop();
      await Promise.all(opened.map((each) => each.close()));
      if (!options.db) await db.close();
    },
  };
}
