import { createRequire } from 'node:module';
import type { Outbound } from '../outbound/outbound.ts';
import { outcomeOfStatus, PUSH_TIMEOUT_MS, type PushMessage, type PushOutcome } from './outcome.ts';

/** Web Push: RFC 8030, encrypted for the browser by RFC 8291, with the sender proven by VAPID (RFC 8292). */
export type WebPushSettings = {
  /** `mailto:` or https: the contact for the browser's service. */
  subject: string;
  /** base64url, as every VAPID tool writes them. */
  publicKey: string;
  privateKey: string;
};

type Details = { method: 'POST'; endpoint: string; headers: Record<string, string | number>; body: Buffer };
type WebPush = {
  generateRequestDetails(subscription: object, payload: string, options: object): Details;
};

/** The package has no types. It is loaded with the first push, because most servers send none. */
const load = createRequire(import.meta.url);
const webPush = () => load('web-push') as WebPush;

const MOST_SECONDS = 28 * 24 * 3600;

export type Subscription = { endpoint: string; keys: { p256dh: string; auth: string } };

/** The push token of a browser is its PushSubscription, as JSON. */
export function readSubscription(token: string): Subscription | undefined {
  try {
    const { endpoint, keys } = JSON.parse(token) as Partial<Subscription>;
    const whole = [endpoint, keys?.p256dh, keys?.auth].every((part) => typeof part === 'string' && part !== '');
    return whole ? ({ endpoint, keys } as Subscription) : undefined;
  } catch {
    return undefined;
  }
}

export async function sendWebPush(
  { outbound, now }: { outbound: Outbound; now: number },
  settings: WebPushSettings,
  token: string,
  message: PushMessage,
): Promise<PushOutcome> {
  const subscription = readSubscription(token);
  if (!subscription) return { kind: 'DEAD_TOKEN', reason: 'it is not a subscription' };
  const details = requestOf(subscription, settings, message, now);
  if (!details) return { kind: 'FAILED', reason: 'the keys cannot be used' };
  const headers = Object.fromEntries(
    Object.entries(details.headers)
      .filter(([name]) => name.toLowerCase() !== 'content-length')
      .map(([name, value]) => [name, String(value)]),
  );
  const request = { method: 'POST', url: details.endpoint, headers, body: details.body } as const;
  const answer = await outbound.send({ ...request, timeoutMs: PUSH_TIMEOUT_MS });
  if (answer.fault === 'refused_address') return { kind: 'DEAD_TOKEN', reason: 'the address is not allowed' };
  if (answer.fault !== undefined) return { kind: 'LATER', reason: `Web Push: ${answer.fault}`, down: true };
  // RFC 8030, 7.3: the subscription no longer exists.
  if (answer.status === 404 || answer.status === 410) return { kind: 'DEAD_TOKEN', reason: `${answer.status}` };
  return outcomeOfStatus(answer.status);
}

function requestOf(
  subscription: Subscription,
  vapidDetails: WebPushSettings,
  { title, message, data, expiresAt }: PushMessage,
  now: number,
): Details | undefined {
  const TTL = Math.min(Math.max(0, Math.floor((expiresAt - now) / 1000)), MOST_SECONDS);
  const payload = JSON.stringify({
    ...(title !== undefined && { title }),
    ...(message !== undefined && { message }),
    data,
  });
  try {
    return webPush().generateRequestDetails(subscription, payload, { vapidDetails, TTL, urgency: 'high' });
  } catch {
    return undefined;
  }
}
