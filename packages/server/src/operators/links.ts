import { createHash, randomBytes } from 'node:crypto';
import { ensureBelowLimit } from '../db/below-limit.ts';
import { isUniqueViolation, type TenantTx } from '../db/db.ts';
import { DAY } from '../kernel/clock.ts';
import { ApiError } from '../kernel/errors.ts';
import { newId } from '../kernel/ids.ts';
import { fold } from '../kernel/pages.ts';
import { creation, lastUpdate } from '../kernel/tracked.ts';
import { removeCeremoniesOf } from './ceremonies.repository.ts';
import { addOperator, changeOperator, countOperators, type OperatorRow } from './operators.repository.ts';
import { passkeysOf, removePasskeysOf } from './passkeys.repository.ts';
import { removeSessionsOf } from './sessions.repository.ts';
import { findTotp, removeTotp } from './totps.repository.ts';

/**
 * One-time links with which an operator registers a passkey. The code is in the fragment, which no server and no log
 * sees.
 */
export const LINK_MS = 3 * DAY;
export const MAX_OPERATORS = 1000;
const CODE_BYTES = 32;

export type Link = { operator: OperatorRow; url: string; expiresAt: number };
type Maker = { by: string; now: number; baseUrl: string };

export function hashLink(code: string): Buffer {
  return createHash('sha256').update(code).digest();
}

function newLink({ baseUrl, now }: Maker) {
  const code = randomBytes(CODE_BYTES).toString('base64url');
  const columns = { link_hash: hashLink(code), link_expires_at: now + LINK_MS };
  return { columns, url: `${baseUrl}/console/#invite=${code}` };
}

export async function ensureRoom(tx: TenantTx): Promise<void> {
  await ensureBelowLimit(tx, { of: ['operators'], limit: MAX_OPERATORS, count: () => countOperators(tx) });
}

type Invited = { name: string; email: string; role: string };

/** The caller has checked that it may give the role. */
export async function inviteOperator(tx: TenantTx, { name, email, role }: Invited, maker: Maker): Promise<Link> {
  await ensureRoom(tx);
  const { columns, url } = newLink(maker);
  const { by, now } = maker;
  const operator: OperatorRow = {
    id: newId(now),
    name,
    name_folded: fold(name),
    email,
    email_folded: fold(email),
    role,
    status: 'INVITED',
    failures: 0,
    locked_until: null,
    last_sign_in_at: null,
    sso_account: '',
    of_installation: 0,
    ...columns,
    ...creation(by, now),
  };
  await withOwnEmail(() => addOperator(tx, operator));
  return { operator, url, expiresAt: columns.link_expires_at };
}

/** Makes a new link. Earlier links and everything that the operator signed in with end. */
export async function resetOperator(tx: TenantTx, before: OperatorRow, maker: Maker): Promise<Link> {
  await removeSessionsOf(tx, { operatorId: before.id });
  await removePasskeysOf(tx, { operatorId: before.id });
  await removeTotp(tx, { operatorId: before.id });
  await removeCeremoniesOf(tx, { operatorId: before.id });
  const { columns, url } = newLink(maker);
  const operator: OperatorRow = {
    // The link may reach somebody else: what was granted on the server must be granted there again.
    ...before,
    ...columns,
    status: 'INVITED',
    failures: 0,
    locked_until: null,
    of_installation: 0,
    sso_account: '',
    ...lastUpdate(maker.by, maker.now),
  };
  await changeOperator(tx, operator);
  return { operator, url, expiresAt: columns.link_expires_at };
}

export async function hasJoined(tx: TenantTx, { id, sso_account }: OperatorRow): Promise<boolean> {
  if (sso_account !== '' || (await findTotp(tx, { operatorId: id }))) return true;
  return (await passkeysOf(tx, { operatorId: id })).length > 0;
}

/** Refuses with 100014 an address that another operator has. */
export async function withOwnEmail(work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (isUniqueViolation(error)) throw new ApiError(100014, { detail: 'another operator has this e-mail address' });
    throw error;
  }
}
