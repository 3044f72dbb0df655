import type { KeyObject } from 'node:crypto';
import { type api, MAX_SHOWN_MESSAGES, type Ok } from '@grove/contract';
import type { TenantReads, TenantTx } from '../../db/db.ts';
import { removeCounts } from '../../db/message-counts.ts';
import type { Channel } from '../../engines/mail/mail.ts';
import type { JobDefinition } from '../../jobs/define-job.ts';
import { definePurge } from '../../jobs/define-purge.ts';
import { HOUR, MINUTE, toDtm } from '../../kernel/clock.ts';
import { ApiError, invalidInput } from '../../kernel/errors.ts';
import type { Platform } from '../../kernel/feature.ts';
import { newId } from '../../kernel/ids.ts';
import type { InstanceRow } from '../../process-manager/for-journeys.ts';
import { instanceSubject } from '../../process-manager/instances/instance-subject.ts';
import { checkRecipient, shorten } from './check-recipient.ts';
import { COUNTED_MS, limitMessages } from './limit-messages.ts';
import {
  addMessage,
  forgetExpired,
  giveUpWaiting,
  type MessageRow,
  messagesOf,
  messagesSince,
  readyToAskAgain,
  removeMessages,
  wakeWaiting,
} from './messages.repository.ts';
import { type Content, contextOf, defineSendMessage, type SendDeps } from './send-message.ts';

/**
 * Messages to end users: the link of a hand-off or of an operator, and the news that a verification is decided. A message is
 * stored in the transaction that needs it and sent by a job. The address is sealed until then and removed afterwards.
 */
export type Messages = {
  readonly channels: readonly Channel[];
  /** Called before the transaction. Refuses with 100160 if the channel is not set up. */
  queueFor(channel: Channel): Promise<Queue>;
  /** The channels and addresses that a page may offer and show; undefined if no channel is set up. */
  known(db: TenantReads, instance: InstanceRow, now: number): Promise<Addresses | undefined>;
  readonly jobs: readonly JobDefinition<object>[];
  onInstanceEvent(tx: TenantTx, event: { type: string; instanceId: string; at: number }): Promise<void>;
  /** The messages to the end user of an instance, the oldest first, without address and text. */
  listFor(db: TenantReads, instanceId: string): Promise<ShownMessage[]>;
  /** Sends a link to end users who wait for the decision by e-mail, because a reviewer asks for steps again. */
  askedAgain(tx: TenantTx, instanceId: string, makeLink: MakeLink): Promise<void>;
};

export type ShownMessage = Ok<typeof api.instanceSessions.list>['messages'][number];

/** Makes the link; called only if there is a recipient. */
export type MakeLink = () => Promise<{ url: string; expiresAt: number }>;

/** Called in a transaction that has locked the instance. Returns the shortened address. Refuses with 100161 and 100162. */
export type Queue = (tx: TenantTx, instance: InstanceRow, message: Message, now: number) => Promise<{ sentTo: string }>;

export type Message = {
  /** The address that the end user typed; without it, the known address. */
  readonly to: string | undefined;
  readonly language: string | undefined;
  /** Of the end user who asks for it. */
  readonly network?: string;
} & (
  | { readonly kind: 'HANDOFF' | 'RESUME'; readonly url: string; readonly expiresAt: number }
  | { readonly kind: 'DECIDED'; readonly url?: undefined; readonly expiresAt?: undefined }
);

type Addresses = NonNullable<Ok<typeof api.journey.get>['messages']>;

export type MessagesDeps = SendDeps &
  Pick<Platform, 'db' | 'jobs' | 'everyTenantId'> & {
    /** The highest number of messages of a tenant in a day. */
    perDay: number;
  };

/** A page shows the state of its newest message as long as the link in it is valid. */
const SHOWN_MS = 5 * MINUTE;
const DECIDED_WITHIN_MS = 24 * HOUR;
const ENDS: ReadonlySet<string> = new Set(['instance.completed', 'instance.terminated']);

export function openMessages(deps: MessagesDeps): Messages {
  const { channels } = deps.mail;
  const send = defineSendMessage(deps);
  const key = keyOnce(deps);

  return {
    channels,
    jobs: [send, cleanJob(deps)],
    async queueFor(channel) {
      if (!channels.includes(channel)) throw new ApiError(100160);
      const hashedWith = await key();
      return async (tx, instance, { kind, to, language = 'en', network, url, expiresAt = null }, now) => {
        const address = to === undefined ? ownAddress(channel, instance) : typedAddress(channel, to);
        const { perDay } = deps;
        const { id: instanceId, environment } = instance;
        await limitMessages(tx, { environment, instanceId, address, network, key: hashedWith, perDay, now });
        if (kind === 'DECIDED') giveUpWaiting(tx, { instanceId: instance.id, now });
        const id = newId(now);
        const content: Content = { to: address, language, ...(url !== undefined && { url }) };
        const plain = Buffer.from(JSON.stringify(content));
        addMessage(tx, {
          id,
          instance_id: instance.id,
          kind,
          channel,
          state: kind === 'DECIDED' ? 'WAITING' : 'READY',
          sealed: await deps.vault.sealFor(tx, instanceSubject(instance.id), contextOf({ id }), plain),
          created_at: now,
          expires_at: expiresAt,
        });
        if (kind !== 'DECIDED') await deps.jobs.enqueue(tx, send, { messageId: id });
        return { sentTo: shorten(channel, address) };
      };
    },
    async known(db, instance, now) {
      if (channels.length === 0) return undefined;
      const rows = await messagesSince(db, { instanceId: instance.id, since: now - SHOWN_MS });
      const handoff = rows.findLast(({ kind }) => kind === 'HANDOFF');
      const waiting = rows.find(({ state }) => state === 'WAITING');
      return {
        channels: [...channels],
        ...shownAddresses(channels, instance),
        ...(handoff && { handoff: SHOWN_STATES[handoff.state] }),
        ...(waiting && { tells: await recipientOf(deps, db, waiting) }),
      };
    },
    listFor,
    async askedAgain(tx, instanceId, makeLink) {
      const rows = await messagesSince(tx, { instanceId, since: Number.MAX_SAFE_INTEGER });
      for (const row of rows.filter(({ state }) => state === 'WAITING')) {
        const { url, expiresAt } = await makeLink();
        const content: Content = { ...(await contentOf(deps, tx, row)), url };
        const plain = Buffer.from(JSON.stringify(content));
        const sealed = await deps.vault.sealFor(tx, instanceSubject(instanceId), contextOf(row), plain);
        readyToAskAgain(tx, { id: row.id, sealed, expiresAt });
        await deps.jobs.enqueue(tx, send, { messageId: row.id });
      }
    },
    async onInstanceEvent(tx, { type, instanceId, at }) {
      if (channels.length === 0 || !ENDS.has(type)) return;
      const ids = await wakeWaiting(tx, instanceId, at + DECIDED_WITHIN_MS);
      for (const messageId of ids) await deps.jobs.enqueue(tx, send, { messageId });
    },
  };
}

async function listFor(db: TenantReads, instanceId: string): Promise<ShownMessage[]> {
  const rows = await messagesOf(db, { instanceId, limit: MAX_SHOWN_MESSAGES });
  return rows.reverse().map(({ id, kind, channel, state, created_at }) => {
    const shownState = state === 'READY' ? 'SENDING' : state;
    return { id, kind, channel, state: shownState, createdDtm: toDtm(created_at) };
  });
}

const SHOWN_STATES = { WAITING: 'SENDING', READY: 'SENDING', SENT: 'SENT', FAILED: 'FAILED' } as const;

/** Reads the key at the first message, outside of every transaction. */
function keyOnce({ vault, db }: MessagesDeps): () => Promise<KeyObject> {
  let key: KeyObject | undefined;
  return async () => {
    key ??= (await vault.systemSecret(db.system, 'message-recipients'))[0]?.key;
    if (!key) throw new Error('the key for counting recipients is missing');
    return key;
  };
}

function typedAddress(channel: Channel, to: string): string {
  const checked = checkRecipient(channel, to);
  if ('fault' in checked) throw invalidInput({ pointer: '/to', message: checked.fault });
  return checked.address;
}

/** The known address. Parameters were not validated, so an invalid address counts as absent. */
function ownAddress(channel: Channel, instance: InstanceRow): string {
  const own = knownAddress(channel, instance);
  if (own === undefined) throw new ApiError(100162);
  return own;
}

function knownAddress(channel: Channel, { email, phone_number }: InstanceRow): string | undefined {
  const checked = checkRecipient(channel, (channel === 'EMAIL' ? email : phone_number) ?? '');
  return 'fault' in checked ? undefined : checked.address;
}

function shownAddresses(channels: readonly Channel[], instance: InstanceRow): Pick<Addresses, 'email' | 'phoneNumber'> {
  const shortAddress = (channel: Channel) => {
    const own = channels.includes(channel) ? knownAddress(channel, instance) : undefined;
    return own === undefined ? undefined : shorten(channel, own);
  };
  const [email, phoneNumber] = [shortAddress('EMAIL'), shortAddress('SMS')];
  return { ...(email && { email }), ...(phoneNumber && { phoneNumber }) };
}

async function recipientOf(deps: MessagesDeps, db: TenantReads, row: MessageRow): Promise<string> {
  return shorten(row.channel, (await contentOf(deps, db, row)).to);
}

async function contentOf({ vault }: MessagesDeps, db: TenantReads, row: MessageRow): Promise<Content> {
  const sealed = row.sealed ?? Buffer.alloc(0);
  const opened = await vault.openFor(db, instanceSubject(row.instance_id), contextOf(row), sealed);
  return JSON.parse(opened.toString('utf8')) as Content;
}

/** Removes addresses that no job has removed, expired counts, and old messages. */
function cleanJob(deps: MessagesDeps): JobDefinition<object> {
  return definePurge(
    deps,
    {
      kind: 'journey.clean-messages',
      does: 'removes old messages and their counts',
      recurs: { everyMs: HOUR, key: 'hourly' },
    },
    (now) => [
      (tx, limit) => forgetExpired(tx, { now, limit }),
      (tx, limit) => removeMessages(tx, { expiredBefore: now - COUNTED_MS, limit }),
      (tx, limit) => removeCounts(tx, { begunBefore: now - COUNTED_MS, limit }),
    ],
  );
}
