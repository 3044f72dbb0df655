import { createHmac, type KeyObject } from 'node:crypto';
import type { TenantTx } from '../../db/db.ts';
import { countMessage } from '../../db/message-counts.ts';
import { HOUR } from '../../kernel/clock.ts';
import type { Environment } from '../../kernel/environment.ts';
import { ApiError } from '../../kernel/errors.ts';
import { type MessageRow, messagesSince } from './messages.repository.ts';

/** Ensures that Grove cannot be used to flood anybody: limits messages by instance, address, network and tenant. */
export const MESSAGES_PER_INSTANCE_AN_HOUR = 3;
export const MESSAGES_PER_ADDRESS_A_DAY = 5;
/** A network gets this part of the tenant's day, so that no stranger uses it up. */
const NETWORKS_OF_DAY = 10;
export const FEWEST_OF_NETWORK_A_DAY = 20;
export const COUNTED_MS = 24 * HOUR;

export type LimitedMessage = {
  /** Each environment has its own counts, so that a test key cannot use up the messages of live end users. */
  readonly environment: Environment;
  readonly instanceId: string;
  readonly address: string;
  /** The network of the end user who asks for it. Undefined if somebody with a permission does. */
  readonly network: string | undefined;
  /** The key for the hashes under which addresses and networks are counted. */
  readonly key: KeyObject;
  readonly perDay: number;
  readonly now: number;
};

/** Counts a message, or refuses with 100161. The caller has locked the instance. */
export async function limitMessages(tx: TenantTx, limited: LimitedMessage): Promise<void> {
  const { environment, instanceId, address, network, key, perDay, now } = limited;
  // A message dated more than an hour ahead was stored by a wrong clock.
  const isRecent = ({ created_at }: MessageRow) => created_at > now - HOUR && created_at <= now + HOUR;
  const recent = (await messagesSince(tx, { instanceId, since: now - HOUR })).filter(isRecent);
  if (recent.length >= MESSAGES_PER_INSTANCE_AN_HOUR) {
    const [oldest] = recent.slice(-MESSAGES_PER_INSTANCE_AN_HOUR) as [MessageRow];
    throw tooMany(oldest.created_at + HOUR - now);
  }
  for (const [name, most] of [
    [`to ${hashOf(key, mailboxOf(address))}`, MESSAGES_PER_ADDRESS_A_DAY],
    [network && `from ${hashOf(key, network)}`, Math.max(FEWEST_OF_NETWORK_A_DAY, perDay / NETWORKS_OF_DAY)],
    ['all', perDay],
  ] as const) {
    if (!name) continue;
    const counterName = environment === 'live' ? name : `${environment} ${name}`;
    const { count, began_at } = await countMessage(tx, counterName, { now, withinMs: COUNTED_MS });
    if (count > most) throw tooMany(began_at + COUNTED_MS - now);
  }
}

function tooMany(waitMs: number): ApiError {
  return new ApiError(100161, { retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)) });
}

function hashOf(key: KeyObject, text: string): string {
  return createHmac('sha256', key).update('message-recipient\0').update(text).digest('base64url');
}

/**
 * One spelling for all addresses that may lead to the same mailbox: most servers ignore case and the part after a plus sign,
 * some ignore dots. Otherwise numbered addresses would bypass the limit.
 */
function mailboxOf(address: string): string {
  const [local = '', domain] = address.toLowerCase().split('@');
  if (domain === undefined) return local;
  return `${local.replace(/(?<=.)\+.*$/, '').replaceAll('.', '')}@${domain}`;
}
