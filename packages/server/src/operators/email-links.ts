import { createHash, randomBytes } from 'node:crypto';
import type { Audit } from '../audit/audit.ts';
import type { TenantTx } from '../db/db.ts';
import { countMessage } from '../db/message-counts.ts';
import type { MailDoor } from '../engines/mail/mail.ts';
import { HOUR, MINUTE } from '../kernel/clock.ts';
import { ApiError } from '../kernel/errors.ts';
import type { Platform } from '../kernel/feature.ts';
import { newId, type TenantId } from '../kernel/ids.ts';
import { operatorName } from '../kernel/operator-name.ts';
import { fold } from '../kernel/pages.ts';
import { storeCeremony, takeCeremonyOfOperator } from './ceremonies.repository.ts';
import { hasJoined } from './links.ts';
import { findByEmail, findOperatorForUpdate, type OperatorRow } from './operators.repository.ts';
import { findTotp } from './totps.repository.ts';
import { writeLinkMail } from './write-link-mail.ts';

/**
 * Sends links to sign in by e-mail. The work is done after the response, so that neither the response nor its time
 * tells whether anybody has the address. The database holds the hash of a code, never the code.
 */
export type EmailLinks = {
  isOffered(): boolean;
  request(tenantId: TenantId, linkRequest: LinkRequest): void;
  /** Locks the operator and spends the link. Refuses with 100219. */
  open(tx: TenantTx, code: string, now: number): Promise<OperatorRow>;
  stop(): Promise<void>;
};

/** A request for a link. Its network is that of the caller, who may be a stranger. */
export type LinkRequest = { readonly email: string; readonly language: string; readonly network: string };

export type EmailLinksDeps = Pick<Platform, 'db' | 'clock' | 'baseUrlOf' | 'onError'> & {
  audit: Pick<Audit, 'record'>;
  mail: Pick<MailDoor, 'channels' | 'sendMail'>;
  tenantName(tenantId: TenantId): Promise<string>;
};

const LINK_MS = 10 * MINUTE;
/** The links of one operator, used or not: nobody can fill a mailbox. A stranger leaves some for the operator's own network. */
export const LINKS_AN_HOUR = 12;
export const LINKS_OF_NETWORK_AN_HOUR = 4;
/** Requests at work at a time. A request beyond the limit is dropped, and the person asks again. */
const MAX_AT_WORK = 50;
const CODE_BYTES = 32;
const KIND = 'EMAIL_LINK';

export function openEmailLinks(deps: EmailLinksDeps): EmailLinks {
  const { db, clock, mail } = deps;
  const atWork = new Set<Promise<void>>();

  const send = async (tenantId: TenantId, { email, language, network }: LinkRequest) => {
    const now = clock.now();
    const code = randomBytes(CODE_BYTES).toString('base64url');
    const operator = await db.of(tenantId).write((tx) => makeLink(deps, tx, { email, network, code, now }));
    if (!operator) return;
    const url = `${deps.baseUrlOf(tenantId)}/console/#email=${code}`;
    const content = writeLinkMail({ language, tenantName: await deps.tenantName(tenantId), url });
    const outcome = await mail.sendMail({ id: newId(now), to: operator.email, ...content });
    if (outcome.kind !== 'SENT') deps.onError('could not send a link to sign in', new Error(outcome.reason));
  };

  return {
    isOffered: () => mail.channels.includes('EMAIL'),
    request(tenantId, linkRequest) {
      if (!mail.channels.includes('EMAIL')) throw new ApiError(100160);
      if (atWork.size >= MAX_AT_WORK) return;
      const work = send(tenantId, linkRequest)
        .catch((error) => deps.onError('could not send a link to sign in', error))
        .finally(() => atWork.delete(work));
      atWork.add(work);
    },
    async open(tx, code, now) {
      const ceremony = await takeCeremonyOfOperator(tx, { id: idOf(code), kind: KIND, now });
      const operator = ceremony && (await findOperatorForUpdate(tx, { id: ceremony.operator_id }));
      // The operator may have changed since the link was sent.
      if (!operator || !(await maySignInByEmail(tx, operator, now))) throw new ApiError(100219);
      return operator;
    },
    async stop() {
      await Promise.all(atWork);
    },
  };
}

type LinkToMake = Pick<LinkRequest, 'email' | 'network'> & { code: string; now: number };

async function makeLink(
  { audit }: Pick<EmailLinksDeps, 'audit'>,
  tx: TenantTx,
  { email, network, code, now }: LinkToMake,
): Promise<OperatorRow | undefined> {
  const operator = await findByEmail(tx, { email: fold(email) });
  if (!operator || !(await maySignInByEmail(tx, operator, now))) return undefined;
  const networkHash = (await tx.personal())?.hashOf('links', network);
  for (const [name, most] of [
    [`link ${operator.id} ${networkHash}`, LINKS_OF_NETWORK_AN_HOUR],
    [`link ${operator.id}`, LINKS_AN_HOUR],
  ] as const) {
    const { count } = await countMessage(tx, name, { now, withinMs: HOUR });
    if (count > most) return undefined;
  }
  const ceremony = {
    id: idOf(code),
    kind: KIND,
    operator_id: operator.id,
    challenge: '',
    expires_at: now + LINK_MS,
  } as const;
  await storeCeremony(tx, ceremony, now);
  await audit.record(tx, {
    action: 'operator.linkSent',
    environment: 'live',
    actor: operatorName(operator),
    operatorId: operator.id,
    at: now,
    item: operator.id,
  });
  return operator;
}

/** An e-mail address alone never takes over an operator who has a passkey or an account of single sign-on. */
export async function maySignInByEmail(tx: TenantTx, operator: OperatorRow, now: number): Promise<boolean> {
  if (operator.status === 'SUSPENDED') return false;
  if (await findTotp(tx, { operatorId: operator.id })) return operator.status === 'ACTIVE';
  if (await hasJoined(tx, operator)) return false;
  return operator.status === 'ACTIVE' || (operator.link_expires_at ?? 0) > now;
}

const idOf = (code: string) => createHash('sha256').update(code).digest('base64url');
