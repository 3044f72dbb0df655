import type { TenantTx } from '../../db/db.ts';
import { setTokenParameters, type TokenRow, tokensWithoutInstances } from '../tokens/process-tokens.repository.ts';
import { isUsedUp } from '../tokens/token-rules.ts';

/** The parameters that describe the applicant. */
const PERSONAL = ['firstName', 'lastName', 'email', 'phoneNumber', 'dateOfBirth'];

/**
 * Removes the parameters of a person from tokens, which hold the same ones as their instances and cannot be deleted. This
 * happens when the last instance of a token was deleted or redacted. A token without further use loses all parameters.
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
