import type { TenantTx } from '../db/db.ts';
import { fold } from '../kernel/pages.ts';
import type { Vault } from '../secrets/vault.ts';

/** What is known of a member. All of it is sealed; the names are stored folded as well, to be found and sorted by. */
export type Details = {
  firstName?: string;
  lastName?: string;
  email?: string;
  phoneNumber?: string;
  note?: string;
  /** Of a list of values, as it was given. */
  value?: string;
};

/** One key for each list: whoever deletes the list has nothing left to open. */
export const subjectOf = (listId: string) => `watchlist:${listId}`;
export const detailsContext = (memberId: string) => `member:${memberId}`;
export const templateContext = (memberId: string) => `face:${memberId}`;

const NAMES = ['firstName', 'lastName', 'email', 'phoneNumber', 'note'] as const;

/** What is given takes the place of what was there; an empty text takes it away. */
export function mergeDetails(before: Details, given: Details): Details {
  const merged: Details = before.value === undefined ? {} : { value: before.value };
  for (const name of NAMES) {
    const text = given[name] ?? before[name];
    if (text !== undefined && text !== '') merged[name] = text;
  }
  return merged;
}

export function foldedNames({ firstName = '', lastName = '' }: Details) {
  return { first_folded: fold(firstName), last_folded: fold(lastName) };
}

type Sealed = { listId: string; memberId: string };

export function sealDetails(
  vault: Pick<Vault, 'sealFor'>,
  tx: TenantTx,
  { listId, memberId }: Sealed,
  details: Details,
) {
  return vault.sealFor(tx, subjectOf(listId), detailsContext(memberId), Buffer.from(JSON.stringify(details)));
}
