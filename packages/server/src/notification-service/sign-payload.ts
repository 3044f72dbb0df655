import { createHmac, randomBytes } from 'node:crypto';

/** Signatures of Standard Webhooks 1.0: HMAC-SHA-256 over the id, the time and the body. */
const SECRET_BYTES = 32;
const PREFIX = 'whsec_';

export function newSigningSecret(): Buffer {
  return randomBytes(SECRET_BYTES);
}

/** The text of a secret, which is shown once. */
export function secretText(secret: Uint8Array): string {
  return PREFIX + Buffer.from(secret).toString('base64');
}

export type SignedContent = { id: string; timestampSeconds: number; body: string };

/** Signs with each secret, so that during a rotation a receiver may have either. */
export function signatureHeaders({ id, timestampSeconds, body }: SignedContent, secrets: readonly Uint8Array[]) {
  const signed = `${id}.${timestampSeconds}.${body}`;
  const signatures = secrets.map((secret) => `v1,${createHmac('sha256', secret).update(signed).digest('base64')}`);
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestampSeconds),
    'webhook-signature': signatures.join(' '),
  };
}
