import { createHash, createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { UsageError } from '../failure.ts';
import { localFetch } from '../local-fetch.ts';
import { onServer, type ServerOptions, serverFrom, WHERE } from '../on-server.ts';
import { define, examples, forTerminal, jsonLine, printable } from '../output.ts';
import { readEvents } from '../server-sent-events.ts';

/**
 * Forwards events to a receiver on a developer's machine, which no server can reach: the server streams its events to
 * this command, which forwards them with a webhook's signature. Nothing is configured on the server.
 */
type ListenOptions = ServerOptions & { forwardTo: string; secret?: string; events?: string };

export type StreamEvent = { id: string; type: string; timestamp: string; data: Record<string, unknown> };
export type Forwarded = StreamEvent & { statusCode?: number; error?: string };

const ANSWER_WITHIN_MS = 15_000;
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 10_000;

export function defineListen(program: Command): void {
  onServer(define(program, 'listen', 'forward events to a receiver on your machine, as a webhook would'))
    .requiredOption('--forward-to <url>', 'where the receiver listens')
    .option('--secret <secret>', 'the signing secret, as whsec_…; by default one that is derived from the API key')
    .option('--events <types>', 'only these, separated by commas, such as instance.completed,instance.review')
    .addHelpText(
      'after',
      `${examples(
        'grove listen --forward-to http://localhost:3000/webhooks',
        'grove listen --forward-to http://localhost:3000/ --events instance.completed,instance.review',
      )}
The server pushes every event of the environment of the key, those of identity stores too. Templates, headers and retries
of webhooks are left out. With several servers you see the events of the one that you are connected to.
${WHERE}`,
    )
    .action(listen);
}

async function listen(options: ListenOptions): Promise<void> {
  const { forwardTo, json, events } = options;
  if (!/^https?:$/.test(URL.parse(forwardTo)?.protocol ?? '')) {
    throw new UsageError('--forward-to must be an address, such as http://localhost:3000/');
  }
  await ensureEvents(events);
  const { baseUrl, apiKey, client } = await serverFrom(options);
  const secret = options.secret ?? secretOf(apiKey);
  if (!/^whsec_[A-Za-z0-9+/]{32,}={0,2}$/.test(secret)) throw new UsageError('--secret must begin with whsec_');
  const say = (value: object, text: string) => process.stdout.write(json ? jsonLine(value) : `${forTerminal(text)}\n`);
  say({ forwardTo, secret }, `Events go to ${forwardTo}, signed with ${secret}\nStop with Ctrl-C.\n`);
  const open = async () => {
    const { token } = await client.apiKeys.issue();
    const query = events === undefined ? '' : `?types=${encodeURIComponent(events)}`;
    return localFetch(`${baseUrl.replace(/\/+$/, '')}/api/notification-service/events/stream${query}`, {
      headers: { authorization: `Bearer ${token}`, accept: 'text/event-stream, application/problem+json' },
    });
  };
  const onLost = () => process.stderr.write(`${baseUrl} does not respond; trying again …\n`);
  for await (const event of follow(open, sleep, onLost)) {
    const forwarded = await forward(event, { forwardTo, secret });
    say(forwarded, lineOf(forwarded));
  }
}

/** Refuses unknown event types, because they would never come. */
async function ensureEvents(events = ''): Promise<void> {
  const { WEBHOOK_EVENTS } = await import('@grove/contract');
  const knownEvents: readonly string[] = WEBHOOK_EVENTS;
  const wrong = events.split(',').filter((type) => type !== '' && !knownEvents.includes(type));
  if (wrong.length > 0)
    throw new UsageError(`There is no event ${wrong.join(', ')}. There are: ${knownEvents.join(', ')}`);
}

/** Derives the secret from the API key, so that a receiver can store it. The key cannot be computed from it. */
export function secretOf(apiKey: string): string {
  return `whsec_${createHash('sha256').update(`grove listen\0${apiKey}`).digest('base64')}`;
}

/** Reads the stream, and reconnects when it ends, because the server may have been restarted. */
export async function* follow(
  open: () => Promise<Response>,
  pause: (ms: number) => Promise<unknown>,
  onLost: () => unknown = () => undefined,
): AsyncGenerator<StreamEvent> {
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)) {
    const answer = await open().catch((error: unknown) => (isRefusal(error) ? Promise.reject(error) : undefined));
    if (answer && !answer.ok) await refuse(answer);
    if (!answer?.ok && waitMs === FIRST_WAIT_MS) onLost();
    try {
      for await (const { data } of answer ? readEvents(answer) : []) {
        waitMs = FIRST_WAIT_MS;
        yield JSON.parse(data) as StreamEvent;
      }
    } catch {
      // A lost connection is opened again below.
    }
    await pause(waitMs);
  }
}

/** The server refused the request, so repeating it cannot help. */
const isRefusal = (error: unknown) => (error as { status?: number }).status !== undefined;

async function refuse(answer: Response): Promise<void> {
  const problem = (await answer.json().catch(() => ({}))) as { message?: string; code?: number };
  if (answer.status === 429 || answer.status >= 500) return;
  throw new UsageError(
    `The server answered ${answer.status}: ${problem.message ?? ''} (code ${problem.code ?? 'none'})`,
  );
}

function lineOf({ timestamp, type, data, statusCode, error }: Forwarded): string {
  const result = statusCode === undefined ? printable(error ?? '') : String(statusCode);
  const about = data.processInstanceId ?? data.userId ?? data.storeName ?? '';
  return `${timestamp}  ${type}  ${about}  ${data.status ?? ''}  ->  ${result}`;
}

/** Sends each event once: the developer sees the result and can trigger the event again. */
export async function forward(
  event: StreamEvent,
  { forwardTo, secret }: { forwardTo: string; secret: string },
): Promise<Forwarded> {
  const body = JSON.stringify(event);
  const seconds = Math.floor(Date.now() / 1000);
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const signature = createHmac('sha256', key).update(`${event.id}.${seconds}.${body}`).digest('base64');
  try {
    const { status } = await fetch(forwardTo, {
      method: 'POST',
      redirect: 'manual',
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
      headers: {
        'content-type': 'application/json',
        'webhook-id': event.id,
        'webhook-timestamp': String(seconds),
        'webhook-signature': `v1,${signature}`,
      },
      body,
    });
    return { ...event, statusCode: status };
  } catch (error) {
    const { message, cause } = error as Error;
    return { ...event, error: cause instanceof Error ? cause.message || message : message };
  }
}
