import type { Channel, MailDoor, MessageOutcome } from '../../engines/mail/mail.ts';
import { defineJob, type JobDefinition, JobError } from '../../jobs/define-job.ts';
import { HOUR, MINUTE, SECOND } from '../../kernel/clock.ts';
import type { TenantId } from '../../kernel/ids.ts';
import type { QueueLog } from '../../leases/log.ts';
import { instanceSubject } from '../../process-manager/instances/instance-subject.ts';
import type { Vault } from '../../secrets/vault.ts';
import { endMessage, findMessage, type MessageRow } from './messages.repository.ts';
import { writeMail, writeSms } from './write-message.ts';

/**
 * The job that sends a message. The payload is an id; the address is opened here, and removed when the message is sent or
 * given up. If a worker dies in between, the message is sent twice, under the same id.
 */
export type SendPayload = { messageId: string };

/** The sealed part of a message. */
export type Content = { to: string; language: string; url?: string };

export type SendDeps = {
  vault: Vault;
  mail: MailDoor;
  tenantName(tenantId: TenantId): Promise<string>;
  changed(tenantId: TenantId, instanceId: string): void;
  log: Pick<QueueLog, 'info'>;
};

/** The attempts take three hours in all: servers that reject unknown senders at first accept most at the second attempt. */
const MAX_SENDS = 14;

export function defineSendMessage(deps: SendDeps): JobDefinition<SendPayload> {
  return defineJob<SendPayload>({
    kind: 'journey.send-message',
    does: 'sends an e-mail or a text message to an end user',
    maxAttempts: MAX_SENDS,
    backoff: { firstMs: 2 * SECOND, mostMs: HOUR },
    timeoutMs: MINUTE,
    async run({ messageId }, { attempt, now, tenant, outside }) {
      const db = tenant();
      const row = await findMessage(db, { id: messageId });
      if (row?.state !== 'READY' || !row.sealed) return;
      const end = async (state: 'SENT' | 'FAILED') => {
        await db.write(async (tx) => endMessage(tx, { id: messageId, state }));
        deps.changed(db.tenantId, row.instance_id);
      };
      // A message with an expired link is not sent.
      if (row.expires_at !== null && row.expires_at <= now) {
        deps.log.info({ messageId }, 'could not send a message to an end user in time');
        return end('FAILED');
      }
      const sealed = await deps.vault.openFor(db, instanceSubject(row.instance_id), contextOf(row), row.sealed);
      const content = JSON.parse(sealed.toString('utf8')) as Content;
      const tenantName = await deps.tenantName(db.tenantId);
      const outcome = await outside('messages', () => deliver(deps, row, content, tenantName));
      if (outcome.kind === 'SENT') return end('SENT');
      if (outcome.kind === 'REFUSED') {
        deps.log.info({ messageId, reason: outcome.reason }, 'a message to an end user was rejected');
        return end('FAILED');
      }
      if (attempt >= MAX_SENDS) await end('FAILED');
      throw new JobError(outcome.reason);
    },
  });
}

/** The context to which the vault binds the sealed content. */
export function contextOf({ id }: { id: string }): string {
  return `message:${id}`;
}

function deliver(
  { mail }: SendDeps,
  { id, kind, channel }: { id: string; kind: MessageRow['kind']; channel: Channel },
  { to, language, url }: Content,
  tenantName: string,
): Promise<MessageOutcome> {
  const about = { kind, language, tenantName, url };
  if (channel === 'SMS') return mail.sendText({ id, to, text: writeSms(about) });
  return mail.sendMail({ id, to, ...writeMail(about) });
}
