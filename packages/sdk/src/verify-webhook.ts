import type { WebhookPayload } from '@grove/contract';

/** Whether a webhook is from Grove: Standard Webhooks 1.0, with nothing but Web Crypto. */

type HeaderMap = { readonly [name: string]: string | readonly string[] | undefined };

export type WebhookToVerify = {
  /** The body as it arrived: text or bytes that were parsed and written again are not what was signed. */
  payload: string | Uint8Array;
  headers: HeaderMap | { get(name: string): string | null };
  /** `whsec_…`, as the answer that created the webhook or rotated its secret showed it. */
  secret: string;
  /** How far the sender's clock may be from ours, 300 unless given. Older requests may be replays. */
  toleranceSeconds?: number;
};

/** What Grove sends if the webhook has no template of its own: `type` says what `data` holds. */
export type WebhookEvent = WebhookPayload;

/** The request is not from Grove, or not of now: answer it with 400 and do nothing else. */
export class WebhookVerificationError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'WebhookVerificationError';
  }
}

const TOLERANCE_SECONDS = 300;

/** The event, once it is known to be genuine; a body of a template's own has the type that the caller gives it. */
export async function verifyWebhook<Event = WebhookEvent>(webhook: WebhookToVerify): Promise<Event> {
  const { payload, headers, secret, toleranceSeconds = TOLERANCE_SECONDS } = webhook;
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => {
    const value = headerOf(headers, name);
    if (!value) throw new WebhookVerificationError(`The header ${name} is missing`);
    return value;
  }) as [string, string, string];
  const age = Math.abs(Date.now() / 1000 - Number(timestamp));
  // Also what is no number at all.
  if (!/^\d+$/.test(timestamp) || age > toleranceSeconds) {
    throw new WebhookVerificationError(`The request was signed too long ago or in the future: ${timestamp}`);
  }
  const body = typeof payload === 'string' ? encode(payload) : payload;
  const signed = concat(encode(`${id}.${timestamp}.`), body);
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', fromBase64(secret.replace(/^whsec_/, '')), algorithm, false, [
    'verify',
  ]);
  // During a rotation there is one of each secret.
  for (const signature of signatures.split(' ')) {
    const [version, text = ''] = signature.split(',', 2);
    if (version !== 'v1') continue;
    if (await crypto.subtle.verify('HMAC', key, bytesOrNone(text), signed)) {
      return (body.length === 0 ? undefined : JSON.parse(new TextDecoder().decode(body))) as Event;
    }
  }
  throw new WebhookVerificationError('No signature fits: the secret is another, or the body was changed');
}

function headerOf(headers: WebhookToVerify['headers'], name: string): string | undefined {
  if (typeof headers.get === 'function') return headers.get(name) ?? undefined;
  const header = Object.entries(headers as HeaderMap).find(([key]) => key.toLowerCase() === name)?.[1];
  return typeof header === 'string' ? header : header?.[0];
}

const encode = (text: string) => new TextEncoder().encode(text);

function concat(one: Uint8Array, other: Uint8Array): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(one.length + other.length);
  all.set(one);
  all.set(other, one.length);
  return all;
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}

function bytesOrNone(text: string): Uint8Array<ArrayBuffer> {
  try {
    return fromBase64(text);
  } catch {
    return new Uint8Array();
  }
}
