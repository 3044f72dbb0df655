import type { api, Body } from '@grove/contract';
import type { TenantTx } from '../db/db.ts';
import { fold } from '../kernel/pages.ts';
import type { Vault } from '../secrets/vault.ts';
import { codeNames, membersAfter, type StoredMember } from './members.repository.ts';

/** The personal data of a member. All of it is sealed; codes of the names are stored as well, for searches. */
export type Details = Omit<Body<typeof api.watchlists.addMember>, 'image' | 'expireAfter'>;

/** Each list has a key of its own: if the list is deleted, nobody can open its members any more. */
export const subjectOf = (listId: string) => `watchlist:${listId}`;
export const detailsContext = (memberId: string) => `member:${memberId}`;
export const templateContext = (memberId: string) => `face:${memberId}`;

const NAMES = ['firstName', 'lastName', 'email', 'phoneNumber', 'note'] as const;

/** A text replaces the stored one; an empty text removes it. */
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

export type MemberIds = { readonly listId: string; readonly memberId: string };

/** The key of a member in the erasure log and in requests about a person. */
export function memberKey({ listId, memberId }: MemberIds): string {
  return `${listId}/${memberId}`;
}

export function memberIdsOf(key: string): MemberIds {
  const [listId = '', memberId = ''] = key.split('/');
  return { listId, memberId };
}

export function sealDetails(
  vault: Pick<Vault, 'sealFor'>,
  tx: TenantTx,
  { listId, memberId }: MemberIds,
  details: Details,
) {
  return vault.sealFor(tx, subjectOf(listId), detailsContext(memberId), Buffer.from(JSON.stringify(details)));
}

type Unseal = Awaited<ReturnType<Vault['unsealerFor']>>;

export function openDetails(unseal: Unseal, { id, details }: Pick<StoredMember, 'id' | 'details'>): Details {
  return JSON.parse(unseal(detailsContext(id), details).toString()) as Details;
}

/** Replaces folded names, which an earlier release stored, by codes. Returns the keys of this batch of members. */
export async function codeStoredNames(
  vault: Pick<Vault, 'unsealerFor'>,
  tx: TenantTx,
  { after, limit }: { after: string; limit: number },
): Promise<string[]> {
  const { listId, memberId } = memberIdsOf(after);
  const rows = await membersAfter(tx, [listId, memberId], limit);
  for (const row of rows) {
    const unseal = await vault.unsealerFor(tx, subjectOf(row.watchlist_id));
    await codeNames(tx, row, foldedNames(openDetails(unseal, row)));
  }
  return rows.map(({ watchlist_id: listId, id: memberId }) => memberKey({ listId, memberId }));
}
