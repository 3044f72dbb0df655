import { MAX_OPERATOR_NAME_LENGTH } from '@grove/contract';
import type { TenantTx } from '../../db/db.ts';
import { ApiError } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { operatorName } from '../../kernel/operator-name.ts';
import { fold } from '../../kernel/pages.ts';
import { ensureRoom, withOwnEmail } from '../links.ts';
import { addOperator, changeOperator, findByAccount, findByEmail, type OperatorRow } from '../operators.repository.ts';
import { ensureOwnerStays } from '../owners.ts';
import { lockGrant } from '../role-rules.ts';
import type { Claims } from './provider.ts';
import type { SingleSignOn } from './settings.repository.ts';

const BY = 'Single sign-on';
const MAX_ACCOUNT_LENGTH = 1000;
const MAX_EMAIL_LENGTH = 254;

type Recognition = { sso: SingleSignOn; claims: Claims; now: number };
type AccountMatch = { operator: OperatorRow; isNew: boolean };

/**
 * Finds the operator of an account: known by issuer and subject, or invited under the verified e-mail address, or new.
 * The account's groups give the role at each sign-in. An operator who has joined is never taken over by an e-mail
 * address, not even by that of another provider: somebody with the same role must reset the operator first.
 */
export async function recogniseAccount(tx: TenantTx, { sso, claims, now }: Recognition): Promise<AccountMatch> {
  const role = await roleOf(tx, sso, claims);
  const account = `${sso.issuer} ${claims.sub}`;
  if (account.length > MAX_ACCOUNT_LENGTH) throw new ApiError(100236, { log: 'the subject is too long' });
  // Everybody without a subject would be one account.
  if (claims.sub.trim() === '') throw new ApiError(100236, { log: 'the subject is empty' });
  // OpenID Connect Core 3.1.3.7: the ID token was issued to this client.
  if (claims.azp !== undefined && claims.azp !== sso.clientId) throw new ApiError(100236, { log: 'azp' });
  // No database stores these characters as they are: two subjects could become one account.
  if (UNSTORABLE.test(claims.sub)) throw new ApiError(100236, { log: 'the subject is not plain text' });
  const { name, email } = personOf(claims);
  const existing = (await findByAccount(tx, { account })) ?? (await invitedBy(tx, claims, email));
  if (existing?.status === 'SUSPENDED') throw new ApiError(100238);
  // A tenant's provider decides who somebody is. That is not enough for operators of the installation.
  const fromProvider = {
    name,
    name_folded: fold(name),
    role,
    sso_account: account,
    of_installation: 0,
    last_sign_in_at: now,
  } as const;
  const active = { status: 'ACTIVE' as const, failures: 0, locked_until: null, link_hash: null, link_expires_at: null };
  if (existing) {
    const operator = { ...existing, ...fromProvider, ...active, last_updated_at: now, last_updated_by: BY };
    await ensureOwnerStays(tx, existing, operator);
    await changeOperator(tx, operator);
    return { operator, isNew: existing.status === 'INVITED' };
  }
  await ensureRoom(tx);
  const operator: OperatorRow = {
    id: newId(now),
    email,
    email_folded: fold(email),
    ...fromProvider,
    ...active,
    created_at: now,
    created_by: BY,
    last_updated_at: now,
    last_updated_by: operatorName({ name, email }),
  };
  await withOwnEmail(() => addOperator(tx, operator));
  return { operator, isNew: true };
}

async function roleOf(tx: TenantTx, { roles, groupsClaim }: SingleSignOn, claims: Claims): Promise<string> {
  const claim = claims[groupsClaim];
  const groups = new Set<unknown>(Array.isArray(claim) ? claim : [claim]);
  const role = roles.find(({ group }) => groups.has(group))?.role;
  if (role === undefined) throw new ApiError(100237);
  try {
    await lockGrant(tx, role);
  } catch (error) {
    if (error instanceof ApiError && error.code === 100214) throw new ApiError(100237, { log: `no role ${role}` });
    throw error;
  }
  return role;
}

/** An address finds only an operator who was invited: whoever sets up a provider decides which addresses it verifies. */
async function invitedBy(tx: TenantTx, claims: Claims, email: string): Promise<OperatorRow | undefined> {
  const row = email === '' ? undefined : await findByEmail(tx, { email: fold(email) });
  if (row && (claims.email_verified !== true || row.status !== 'INVITED')) throw new ApiError(100238);
  return row;
}

/** Cuts the provider's names and addresses to what Grove allows. */
function personOf({ name, preferred_username, email, sub }: Claims): { name: string; email: string } {
  const address = typeof email === 'string' && EMAIL.test(email) && email.length <= MAX_EMAIL_LENGTH ? email : '';
  const names = [name, preferred_username, address, sub].map((each) => plainName(each));
  return { name: names.find((each) => each !== '') ?? 'Operator', email: address };
}

const UNSTORABLE = /[\p{Cc}\p{Cs}]/u;
const EMAIL = /^[^\s@()<>\p{Cc}\p{Cf}\p{Cs}]+@[^\s@()<>\p{Cc}\p{Cf}\p{Cs}]+$/u;
/** Two joiners are allowed: names of some scripts need them. */
const INVISIBLE = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

function plainName(value: unknown): string {
  if (typeof value !== 'string') return '';
  return value
    .replace(/[()<>]/g, '')
    .replace(INVISIBLE, '')
    .trim()
    .slice(0, MAX_OPERATOR_NAME_LENGTH)
    .replace(/\p{Cs}/gu, '');
}
