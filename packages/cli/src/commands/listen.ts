import { createHmac, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { type Client, GroveConnectionError, isGroveError } from 'grove-idv-sdk';
import { UsageError } from '../failure.ts';
import { onServer, type ServerOptions, serverFrom, WHERE } from '../on-server.ts';
import { define, examples, printable } from '../output.ts';

/**
 * Webhooks for a developer whose receiver no server can reach: the command asks the server what happened and tells the
 * receiver itself, in the words and with the signature of a webhook. Nothing is set up on the server.
 */
type ListenOptions = ServerOptions & { forwardTo: string; secret?: string };

type Instance = Awaited<ReturnType<Client['processInstances']['list']>>['content'][number];
type InstanceEvent = Awaited<ReturnType<Client['processInstances']['listEvents']>>['content'][number];
type Asked = { list: Client['processInstances']['list']; listEvents: Client['processInstances']['listEvents'] };

export type Told = { id: string; type: string; timestamp: string; data: Record<string, unknown> };
export type Forwarded = Told & { statusCode?: number; error?: string };

/** The newest instances are followed, whoever made them. */
const MAX_FOLLOWED = 20;
const MAX_EVENTS = 100;
const ASK_EVERY_MS = 1000;
const ANSWER_WITHIN_MS = 15_000;
const NOT_FOUND = 100022;

export function defineListen(program: Command): void {
  onServer(define(program, 'listen', 'tell a receiver on your machine what happens, as a webhook would'))
    .requiredOption('--forward-to <url>', 'where the receiver listens')
    .option('--secret <secret>', 'what to sign with, as whsec_…; a new one is shown unless given')
    .addHelpText(
      'after',
      `${examples('grove listen --forward-to http://localhost:3000/')}
It asks once a second for the events of the ${MAX_FOLLOWED} newest process instances. Templates, headers and retries of
webhooks are left out, and so is the deletion of an instance.
${WHERE}`,
    )
    .action(listen);
}

async function listen(options: ListenOptions): Promise<void> {
  const { forwardTo, json } = options;
  if (!/^https?:$/.test(URL.parse(forwardTo)?.protocol ?? '')) throw new UsageError('--forward-to must be an address');
  const secret = options.secret ?? `whsec_${randomBytes(32).toString('base64')}`;
  if (!/^whsec_[A-Za-z0-9+/]{32,}={0,2}$/.test(secret)) throw new UsageError('--secret must begin with whsec_');
  const { client } = serverFrom(options);
  const say = (value: object, text: string) => process.stdout.write(json ? `${JSON.stringify(value)}\n` : `${text}\n`);
  say({ forwardTo, secret }, `Events go to ${forwardTo}, signed with ${secret}\nStop with Ctrl-C.\n`);
  for await (const told of follow(client.processInstances, () => sleep(ASK_EVERY_MS))) {
    const forwarded = await forward(told, { forwardTo, secret });
    say(forwarded, lineOf(forwarded));
  }
}

function lineOf({ timestamp, type, data, statusCode, error }: Forwarded): string {
  const result = statusCode === undefined ? printable(error ?? '') : String(statusCode);
  return `${timestamp}  ${type}  ${data.processInstanceId}  ${data.status}  ->  ${result}`;
}

/** What happens from now on, in the order of each instance. What had happened before is not told. */
export async function* follow(asked: Asked, pause: () => Promise<unknown>): AsyncGenerator<Told> {
  let known: Map<string, { sequence: number; ended: boolean }> | undefined;
  for (;;) {
    const instances = await newest(asked);
    const followed: NonNullable<typeof known> = new Map();
    for (const instance of [...(instances ?? [])].reverse()) {
      const before = known?.get(instance.id);
      const ended = instance.status.startsWith('COMPLETED_');
      const found = before?.ended ? [] : await eventsSince(asked, instance.id, before?.sequence ?? 0);
      const events = found ?? [];
      const sequence = events.at(-1)?.sequence ?? before?.sequence ?? 0;
      followed.set(instance.id, { sequence, ended: ended && found !== undefined });
      if (known) for (const event of events) yield toldOf(instance, event);
    }
    if (instances) known = followed;
    await pause();
  }
}

/** Nothing while the server cannot be reached: it may be starting again. */
async function newest({ list }: Asked): Promise<readonly Instance[] | undefined> {
  try {
    return (await list({ query: { size: MAX_FOLLOWED, sort: ['createdAt,desc'] } })).content;
  } catch (error) {
    if (error instanceof GroveConnectionError) return undefined;
    throw error;
  }
}

async function eventsSince({ listEvents }: Asked, id: string, sequence: number): Promise<InstanceEvent[] | undefined> {
  try {
    const query = { size: MAX_EVENTS, sort: ['sequence,desc'] };
    const { content } = await listEvents({ processInstanceId: id, query });
    return content.filter((event) => event.sequence > sequence).reverse();
  } catch (error) {
    // It was deleted in the meantime, or the server is away; then it is asked again.
    if (error instanceof GroveConnectionError || isGroveError(error, NOT_FOUND)) return undefined;
    throw error;
  }
}

function toldOf(instance: Instance, { sequence, type, dateTime, status, step, data }: InstanceEvent): Told {
  const { id, tenantId, environment, processDefnId, processDefnName, processDefnVersion } = instance;
  return {
    id: `${id}.${sequence}`,
    type,
    timestamp: dateTime,
    data: {
      ...{ tenantId, environment, processInstanceId: id, sequence, status },
      ...(step !== undefined && { step }),
      ...{ processDefnId, processDefnName, processDefnVersion },
      ...(data !== undefined && { details: data }),
    },
  };
}

/** Once: whoever develops a receiver sees what came of it, and lets it happen again. */
export async function forward(
  told: Told,
  { forwardTo, secret }: { forwardTo: string; secret: string },
): Promise<Forwarded> {
  const body = JSON.stringify(told);
  const seconds = Math.floor(Date.now() / 1000);
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const signature = createHmac('sha256', key).update(`${told.id}.${seconds}.${body}`).digest('base64');
  try {
    const { status } = await fetch(forwardTo, {
      method: 'POST',
      redirect: 'manual',
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
      headers: {
        'content-type': 'application/json',
        'webhook-id': told.id,
        'webhook-timestamp': String(seconds),
        'webhook-signature': `v1,${signature}`,
      },
      body,
    });
    return { ...told, statusCode: status };
  } catch (error) {
    const { message, cause } = error as Error;
    return { ...told, error: cause instanceof Error ? cause.message || message : message };
  }
}
