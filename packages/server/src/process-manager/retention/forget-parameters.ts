import type { TenantTx } from '../../db/db.ts';
import { findToken, setTokenParameters, type TokenRow } from '../tokens/process-tokens.repository.ts';
import { isUsedUp } from '../tokens/token-rules.ts';
import { hasInstances } from './due.repository.ts';

/** What fills the applicant of an instance. */
const PERSONAL = ['firstName', 'lastName', 'email', 'phoneNumber', 'dateOfBirth'];

/**
 * A token was told the same things about a person as its instances, and cannot be deleted. When the last instance of it
 * has gone, it forgets whom it was for; if it is of no more use, it forgets everything it was told.
 */
export async function forgetParameters(tx: TenantTx, tokenId: string, now: number): Promise<void> {
  const token = await findToken(tx, tokenId);
  if (!token || token.parameters === '{}' || (await hasInstances(tx, tokenId))) return;
  const left = isOfUse(token, now) ? withoutPerson(token.parameters) : '{}';
  if (left !== token.parameters) await setTokenParameters(tx, tokenId, left);
}

function isOfUse(token: TokenRow, now: number): boolean {
  const { status, not_after_at } = token;
  return status === 'ACTIVE' && !isUsedUp(token) && (not_after_at === null || now < not_after_at);
}

function withoutPerson(parameters: string): string {
  const all = Object.entries(JSON.parse(parameters) as Record<string, string>);
  return JSON.stringify(Object.fromEntries(all.filter(([name]) => !PERSONAL.includes(name))));
}
