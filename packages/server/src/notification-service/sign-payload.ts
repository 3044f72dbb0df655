import { createHmac, randomBytes } from 'node:crypto';

/** Signatures as Standard Webhooks 1.0 says: HMAC-SHA-256 over the id, the time and the body. */
const SECRET_BYTES = 32;
const PREFIX = 'whsec_';

export function newSigningSecret(): Buffer {
  return randomBytes(SECRET_BYTES);
}

/** As the receiver is given it, once. */
export function secretText(secret: Uint8Array): string {
  return PREFIX + Buffer.from(secret).toString('base64');
}

export type Signed = { id: string; timestampSeconds: number; body: string };

/** One signature for each secret: during a rotation a receiver that knows either is content. */
export function signatureHeaders({ id, timestampSeconds, body }: Signed, secrets: readonly Uint8Array[]) {
  const signed = `${id}.${timestampSeconds}.${body}`;
  const signatures = secrets.map((secret) => `v1,${createHmac('sha256', secret).update(signed).digest('base64')}`);
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestampSeconds),
    'webhook-signature': signatures.join(' '),
  };
}
