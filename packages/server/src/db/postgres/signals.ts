import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { Signals } from '../signals.ts';
import { connectWritable } from './hosts.ts';

/** Signals by LISTEN and NOTIFY, on a separate connection that is open while somebody listens. */
export type PostgresSignals = Signals & { close(): Promise<void> };

const CHANNEL = 'grove';
/** Messages within this time share a notification, because every NOTIFY makes the commits of the database queue up. */
const GATHER_MS = 20;
/** PostgreSQL accepts 8,000 bytes. */
const MAX_PAYLOAD_LENGTH = 7000;
const MAX_WAITING = 10_000;
const RETRY_MS = 1000;

type Deps = {
  url: string;
  /** False behind a pooler, which would accept LISTEN and then lend the connection to another client. */
  canListen: boolean;
  notify(channel: string, payload: string): Promise<unknown>;
};

export function openPostgresSignals({ url, canListen, notify }: Deps): PostgresSignals {
  const sender = randomUUID();
  const listeners = new Set<(message: string | undefined) => void>();
  let waiting = new Set<string>();
  let client: pg.Client | undefined;
  let isComplete = false;
  let isClosed = false;
  let isListening = false;

  const send = () => {
    const messages = [...waiting];
    waiting = new Set();
    // A lost message does no harm: listeners poll the tables as well.
    for (const payload of payloadsOf(sender, messages)) notify(CHANNEL, payload).catch(() => undefined);
  };

  const hear = (message: string | undefined) => {
    for (const listener of [...listeners]) listener(message);
  };

  /** Listens until the connection is lost or ended. */
  const listenOnce = async (): Promise<void> => {
    client = await connectWritable(url, { application_name: 'grove-signals', keepAlive: true });
    const connectionEnd = new Promise<void>((done) => client?.once('end', done));
    client.on('notification', ({ payload = '' }) => {
      for (const message of messagesIn(payload, sender)) hear(message);
    });
    await client.query(`LISTEN ${CHANNEL}`);
    // All listeners may have left meanwhile.
    if (listeners.size === 0 || isClosed) return client.end();
    isComplete = true;
    hear(undefined);
    await connectionEnd;
  };

  const keepListening = async (): Promise<void> => {
    if (isListening || !canListen) return;
    isListening = true;
    while (listeners.size > 0 && !isClosed) {
      await listenOnce().catch(() => client?.end().catch(() => undefined));
      isComplete = false;
      client = undefined;
      if (listeners.size > 0 && !isClosed) await sleep(RETRY_MS, undefined, { ref: false });
    }
    isListening = false;
  };

  return {
    get isComplete() {
      return isComplete;
    },
    publish(message) {
      if (isClosed || waiting.size >= MAX_WAITING) return;
      if (waiting.size === 0) setTimeout(send, GATHER_MS).unref();
      waiting.add(message);
    },
    listen(listener) {
      listeners.add(listener);
      keepListening();
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0) client?.end().catch(() => undefined);
      };
    },
    async close() {
      isClosed = true;
      await client?.end().catch(() => undefined);
    },
  };
}

/** Ignores notifications of other programs: everybody who may use the database can send some. */
function messagesIn(payload: string, sender: string): string[] {
  try {
    const { from, messages } = JSON.parse(payload) as { from: string; messages: string[] };
    return from === sender ? [] : messages.filter((message) => typeof message === 'string');
  } catch {
    return [];
  }
}

/** Packs the messages into as few notifications as possible. */
export function payloadsOf(from: string, messages: readonly string[]): string[] {
  const payloads: string[] = [];
  const sizeOfRest = JSON.stringify({ from, messages: [] }).length;
  let group: string[] = [];
  let size = sizeOfRest;
  const close = () => {
    if (group.length > 0) payloads.push(JSON.stringify({ from, messages: group }));
    [group, size] = [[], sizeOfRest];
  };
  for (const message of messages) {
    const length = Buffer.byteLength(JSON.stringify(message)) + 1;
    if (size + length > MAX_PAYLOAD_LENGTH) close();
    // A message that is too large for any notification is not sent.
    if (size + length > MAX_PAYLOAD_LENGTH) continue;
    group.push(message);
    size += length;
  }
  close();
  return payloads;
}
