import type { api, Body } from '@grove/contract';
import type { TenantTx } from '../db/db.ts';
import { fold } from '../kernel/pages.ts';
import type { Vault } from '../secrets/vault.ts';
import { codeNames, membersAfter, type StoredMember } from './members.repository.ts';

/** What is known of a member. All of it is sealed; codes of the names are stored as well, by which they are found. */
export type Details = Omit<Body<typeof api.watchlists.addMember>, 'image' | 'expireAfter'>;

/** One key for each list: whoever deletes the list has nothing left to open. */
export const subjectOf = (listId: string) => `watchlist:${listId}`;
export const detailsContext = (memberId: string) => `member:${memberId}`;
export const templateContext = (memberId: string) => `face:${memberId}`;

const NAMES = ['firstName', 'lastName', 'email', 'phoneNumber', 'note'] as const;

/** What is given takes the place of what was there; an empty text takes it away. */
export function mergeDetails(before: Details, changes: Details): Details {
  const merged: Details = before.value === undefined ? {} : { value: before.value };
  for (const name of NAMES) {
    const text = changes[name] ?? before[name];
    if (text !== undefined && text !== '') merged[name] = text;
  }
  return merged;
}

export function foldedNames({ firstName = '', lastName = '' }: Details) {
  return { first_folded: fold(firstName), last_folded: fold(lastName) };
}

type DetailsOwner = { listId: string; memberId: string };

export function sealDetails(
  vault: Pick<Vault, 'sealFor'>,
  tx: TenantTx,
  { listId, memberId }: DetailsOwner,
  details: Details,
) {
  return vault.sealFor(tx, subjectOf(listId), detailsContext(memberId), Buffer.from(JSON.stringify(details)));
}

type Unseal = Awaited<ReturnType<Vault['unsealerFor']>>;

export function openDetails(unseal: Unseal, { id, details }: Pick<StoredMember, 'id' | 'details'>): Details {
  return JSON.parse(unseal(detailsContext(id), details).toString()) as Details;
}

/** Makes codes of names that an earlier release stored folded. Where the next batch begins; nothing at the end. */
export async function codeStoredNames(
  vault: Pick<Vault, 'unsealerFor'>,
  tx: TenantTx,
  { after, limit }: { after: string; limit: number },
): Promise<string[]> {
  const [listId = '', memberId = ''] = after.split('/');
  const rows = await membersAfter(tx, [listId, memberId], limit);
  for (const row of rows) {
    const unseal = await vault.unsealerFor(tx, subjectOf(row.watchlist_id));
    await codeNames(tx, row, foldedNames(openDetails(unseal, row)));
  }
  return rows.map(({ watchlist_id, id }) => `${watchlist_id}/${id}`);
}
