import type { TenantTx } from '../db/db.ts';
import { countMessage } from '../db/message-counts.ts';
import type { MailDoor } from '../engines/mail/mail.ts';
import { defineJob, JobError } from '../jobs/define-job.ts';
import { HOUR, MINUTE, SECOND } from '../kernel/clock.ts';
import type { Platform } from '../kernel/feature.ts';
import type { TenantId } from '../kernel/ids.ts';
import { findOperator } from './operators.repository.ts';
import { type CaseOccasion, writeCaseMail } from './write-case-mail.ts';

/**
 * E-mails that tell an operator of a case: a colleague has assigned it to them, or mentions them in a note. They hold a link
 * and no data of the end user. Several within a minute about one case become one. Beyond the limit no e-mail is sent.
 */
export type CaseMail = {
  occasion: CaseOccasion;
  operatorId: string;
  /** The colleague. Operators get no e-mail about what they did themselves. */
  callerId: string;
  instanceId: string;
  environment: 'live' | 'test';
  /** The language of the colleague's console: that of the operator is not known. */
  language: string | undefined;
};

export type CaseMailsDeps = Pick<Platform, 'clock' | 'jobs' | 'baseUrlOf' | 'onError'> & {
  mail: Pick<MailDoor, 'channels' | 'sendMail'>;
  tenantName(tenantId: TenantId): Promise<string>;
};

/** A note leads to the verification, because an operator who opens the review claims it. */
const SCREENS: Readonly<Record<CaseOccasion, string>> = { ASSIGNED: 'reviews', MENTIONED: 'instances' };
const WAIT_MS = MINUTE;
/** The limit for one operator in each environment. */
export const CASE_MAILS_AN_HOUR = 20;
/** The attempts to send, which take three hours in all. */
const MAX_SENDS = 14;

export function openCaseMails({ clock, jobs, mail, baseUrlOf, tenantName, onError }: CaseMailsDeps) {
  const sendMail = defineJob<Omit<CaseMail, 'callerId'>>({
    kind: 'operators.send-case-mail',
    does: 'tells an operator by e-mail of a case that was assigned to them, or of a note that mentions them',
    maxAttempts: MAX_SENDS,
    backoff: { firstMs: 2 * SECOND, mostMs: HOUR },
    timeoutMs: MINUTE,
    async run({ occasion, operatorId, instanceId, environment, language = 'en' }, { jobId, outside, tenant }) {
      const db = tenant();
      const operator = await findOperator(db, { id: operatorId });
      if (operator?.status !== 'ACTIVE' || operator.email === '') return;
      const query = environment === 'test' ? '?environment=test' : '';
      const url = `${baseUrlOf(db.tenantId)}/console/${SCREENS[occasion]}/${instanceId}${query}`;
      const content = writeCaseMail({ occasion, language, tenantName: await tenantName(db.tenantId), url });
      const outcome = await outside('case mails', () => mail.sendMail({ id: jobId, to: operator.email, ...content }));
      if (outcome.kind === 'REFUSED') return onError('could not tell an operator of a case', new Error(outcome.reason));
      if (outcome.kind === 'LATER') throw new JobError(outcome.reason);
    },
  });
  return {
    jobs: [sendMail],
    /** Called in the transaction of the assignment or the note. */
    async queue(tx: TenantTx, { callerId, ...message }: CaseMail): Promise<void> {
      if (message.operatorId === callerId || !mail.channels.includes('EMAIL')) return;
      const { environment, operatorId } = message;
      const now = clock.now();
      const { count } = await countMessage(tx, `case ${environment} ${operatorId}`, { now, withinMs: HOUR });
      if (count > CASE_MAILS_AN_HOUR) return;
      const uniqueKey = `${message.occasion} ${message.operatorId} ${message.instanceId}`;
      await jobs.enqueue(tx, sendMail, message, { runAt: now + WAIT_MS, uniqueKey });
    },
  };
}
