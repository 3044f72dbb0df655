import type { WebhookPayload } from '@grove/contract';

/** Verifies that a webhook is from Grove, as Standard Webhooks 1.0 says, with Web Crypto alone. */

type HeaderMap = { readonly [name: string]: string | readonly string[] | undefined };

export type WebhookToVerify = {
  /** The body exactly as it arrived: parsed and written again, it no longer matches the signature. */
  payload: string | Uint8Array;
  headers: HeaderMap | { get(name: string): string | null };
  /** The secret `whsec_…` from the answer that created the webhook or rotated its secret. */
  secret: string;
  /** How many seconds old a request may be, since an older one may be a replay; the default is 300. */
  toleranceSeconds?: number;
};

/** The body that Grove sends if the webhook has no template of its own; `type` determines the shape of `data`. */
export type WebhookEvent = WebhookPayload;

/** The request is not from Grove, or is too old: answer it with 400 and do nothing else. */
export class WebhookVerificationError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'WebhookVerificationError';
  }
}

const TOLERANCE_SECONDS = 300;

/** Returns the event of a genuine request, and throws for any other. With a template, the caller names `Event`. */
export async function verifyWebhook<Event = WebhookEvent>(webhook: WebhookToVerify): Promise<Event> {
  const { payload, headers, secret, toleranceSeconds = TOLERANCE_SECONDS } = webhook;
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => {
    const value = headerOf(headers, name);
    if (!value) throw new WebhookVerificationError(`The header ${name} is missing`);
    return value;
  }) as [string, string, string];
  const age = Math.abs(Date.now() / 1000 - Number(timestamp));
  // A timestamp that is not a number is refused as well.
  if (!/^\d+$/.test(timestamp) || age > toleranceSeconds) {
    throw new WebhookVerificationError(`The request was signed too long ago or in the future: ${timestamp}`);
  }
  const body = typeof payload === 'string' ? encode(payload) : payload;
  const signed = concat(encode(`${id}.${timestamp}.`), body);
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const secretBytes = fromBase64(secret.replace(/^whsec_/, ''));
  const key = await crypto.subtle.importKey('raw', secretBytes, algorithm, false, ['sign']);
  // Computed once: a stranger can send thousands of signatures with a long body (denial of service).
  const expected = new Uint8Array(await crypto.subtle.sign('HMAC', key, signed));
  // During a rotation the header holds one signature for each secret.
  const isGenuine = signatures.split(' ').some((signature) => {
    const [version, text = ''] = signature.split(',', 2);
    return version === 'v1' && isSame(bytesOrNone(text), expected);
  });
  if (!isGenuine) {
    throw new WebhookVerificationError('No signature fits: the secret is another, or the body was changed');
  }
  return (body.length === 0 ? undefined : JSON.parse(new TextDecoder().decode(body))) as Event;
}

/** Takes the same time wherever the two differ (timing attack). */
function isSame(one: Uint8Array, other: Uint8Array): boolean {
  if (one.length !== other.length) return false;
  return one.reduce((difference, byte, at) => difference | (byte ^ (other[at] as number)), 0) === 0;
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
