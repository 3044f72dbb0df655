import type { Outbound } from '../outbound/outbound.ts';
import type { MessageOutcome } from './outcome.ts';
import type { SmsPlace } from './places.ts';

/** Sends text messages by a gateway of the operator's choice, which takes `{ to, text }` as JSON. */
export type TextMessage = {
  /** The same for every attempt, so that the gateway can send it once. */
  readonly id: string;
  readonly to: string;
  readonly text: string;
};

const TIMEOUT_MS = 10_000;

export async function sendText(
  outbound: Pick<Outbound, 'send'>,
  { url, token }: SmsPlace,
  { id, to, text }: TextMessage,
): Promise<MessageOutcome> {
  const { status, fault } = await outbound.send({
    method: 'POST',
    url,
    timeoutMs: TIMEOUT_MS,
    body: JSON.stringify({ to, text }),
    headers: {
      'content-type': 'application/json',
      'idempotency-key': id,
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
  });
  if (fault !== undefined) return { kind: 'LATER', reason: `the gateway for text messages: ${fault}` };
  if (status >= 200 && status < 300) return { kind: 'SENT' };
  const reason = `the gateway for text messages answered ${status}`;
  // These statuses say that the message is wrong. The operator can correct the causes of 401 and 403.
  return { kind: status === 400 || status === 422 ? 'REFUSED' : 'LATER', reason };
}
