import { Readable } from 'node:stream';
import { api } from '@grove/contract';
import { type BytesAnswer, stream } from '../kernel/answers.ts';
import { MINUTE, SECOND } from '../kernel/clock.ts';
import type { Environment } from '../kernel/environment.ts';
import { ApiError } from '../kernel/errors.ts';
import type { TenantId } from '../kernel/ids.ts';
import { implement } from '../kernel/implement.ts';
import type { MayStillCall } from '../kernel/still-allowed.ts';

/**
 * Server-sent events for a connected caller: the same events as for webhooks, with ids only. A connection receives the events
 * that its server commits while it is open; nothing is stored for it. So it is for developers, and webhooks are for events
 * that must arrive.
 */
export type EventHub = {
  /** Whether anybody watches. */
  watched(tenantId: TenantId, environment: Environment): boolean;
  publish(tenantId: TenantId, environment: Environment, event: StreamedEvent): void;
  subscribe(watcher: Subscription): BytesAnswer;
  /** Sends a heartbeat, and ends the connections of callers who have lost the permission. */
  beat(): Promise<void>;
  stop(): void;
};

export type StreamedEvent = { id: string; type: string; timestamp: string; data: Readonly<Record<string, unknown>> };

export const MAX_WATCHERS_OF_TENANT = 5;
const MAX_WATCHERS = 500;
/** A client that does not read is cut off before its events pile up. */
const MAX_UNREAD_BYTES = 256 * 1024;
const BEAT_EVERY_MS = 15 * SECOND;
/** After this time the client reconnects, and everything about it is checked again. */
const MAX_STREAM_MS = 10 * MINUTE;

type Subscription = {
  readonly tenantId: TenantId;
  readonly environment: Environment;
  readonly types: ReadonlySet<string>;
  /** Whether the caller may still watch. */
  mayStillWatch?(): Promise<boolean>;
};

type Watcher = Pick<Subscription, 'types' | 'mayStillWatch'> & { events: Readable; isOver: boolean };

export function openEventHub(maxStreamMs = MAX_STREAM_MS): EventHub {
  const lines = new Map<string, Set<Watcher>>();
  let count = 0;
  let beating: NodeJS.Timeout | undefined;
  const keyOf = (tenantId: TenantId, environment: Environment) => `${tenantId}/${environment}`;
  const write = ({ events, isOver }: Watcher, text: string) => {
    // Who has not read up to the end by now does not read at all, and nothing may follow the end.
    if (isOver) events.destroy();
    if (events.destroyed) return;
    events.push(text);
    if (events.readableLength > MAX_UNREAD_BYTES) events.destroy();
  };
  /** If the permission cannot be checked, the connection ends, and the caller must connect again. */
  const beatOf = async (watcher: Watcher) => {
    const mayWatch = await watcher.mayStillWatch?.().catch(() => false);
    if (mayWatch === false) watcher.events.destroy();
    else write(watcher, ':\n\n');
  };
  const beat = async () => {
    await Promise.all([...lines.values()].flatMap((line) => [...line].map(beatOf)));
  };
  return {
    watched: (tenantId, environment) => lines.has(keyOf(tenantId, environment)),
    publish(tenantId, environment, event) {
      for (const watcher of lines.get(keyOf(tenantId, environment)) ?? []) {
        if (watcher.types.size > 0 && !watcher.types.has(event.type)) continue;
        write(watcher, `event: ${event.type}\nid: ${event.id}\ndata: ${JSON.stringify(event)}\n\n`);
      }
    },
    beat,
    subscribe({ tenantId, environment, types, mayStillWatch }) {
      const key = keyOf(tenantId, environment);
      const line = lines.get(key) ?? new Set<Watcher>();
      if (line.size >= MAX_WATCHERS_OF_TENANT || count >= MAX_WATCHERS) {
        throw new ApiError(100007, { retryAfterSeconds: 5, log: 'too many watch events' });
      }
      const watcher: Watcher = {
        types,
        isOver: false,
        events: new Readable({ read: () => undefined }),
        ...(mayStillWatch && { mayStillWatch }),
      };
      line.add(watcher);
      lines.set(key, line);
      count += 1;
      beating ??= setInterval(beat, BEAT_EVERY_MS).unref();
      const over = setTimeout(() => {
        watcher.isOver = true;
        watcher.events.push(null);
      }, maxStreamMs).unref();
      watcher.events.once('close', () => {
        clearTimeout(over);
        count -= 1;
        line.delete(watcher);
        if (line.size === 0) lines.delete(key);
      });
      write(watcher, ': watching\n\n');
      // Keeps proxies from buffering, which would delay the events.
      return stream('text/event-stream', watcher.events, { 'x-accel-buffering': 'no', 'cache-control': 'no-store' });
    },
    stop() {
      clearInterval(beating);
      for (const line of lines.values()) for (const { events } of line) events.push(null);
    },
  };
}

export function eventStreamHandlers(hub: EventHub, mayStillCall?: MayStillCall) {
  const { permission } = api.eventStream.watch;
  return implement(api.eventStream, {
    watch: (context, { query }) =>
      hub.subscribe({
        tenantId: context.tenantId,
        environment: context.principal.environment,
        types: new Set(query.types?.split(',').filter(Boolean)),
        ...(mayStillCall && { mayStillWatch: () => mayStillCall(context.principal, permission) }),
      }),
  });
}
