import type { TenantTx } from '../../db/db.ts';
import { setTokenParameters, type TokenRow, tokensWithoutInstances } from '../tokens/process-tokens.repository.ts';
import { isUsedUp } from '../tokens/token-rules.ts';

/** What fills the applicant of an instance. */
const PERSONAL = ['firstName', 'lastName', 'email', 'phoneNumber', 'dateOfBirth'];

/**
 * A token holds the same parameters of a person as its instances, and cannot be deleted. When the last instance of it
 * was deleted or redacted, the parameters of the person are removed; if the token is of no more use, all of them are.
 */
export async function forgetParameters(tx: TenantTx, tokenIds: readonly string[], now: number): Promise<void> {
  if (tokenIds.length === 0) return;
  for (const token of await tokensWithoutInstances(tx, tokenIds)) {
    const remaining = isOfUse(token, now) ? withoutPerson(token.parameters) : '{}';
    if (remaining !== token.parameters) await setTokenParameters(tx, token.id, remaining);
  }
}

function isOfUse(token: TokenRow, now: number): boolean {
  const { status, not_after_at } = token;
  return status === 'ACTIVE' && !isUsedUp(token) && (not_after_at === null || now < not_after_at);
}

function withoutPerson(parameters: string): string {
  const all = Object.entries(JSON.parse(parameters) as Record<string, string>);
  return JSON.stringify(Object.fromEntries(all.filter(([name]) => !PERSONAL.includes(name))));
}
