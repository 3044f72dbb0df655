import type { api, Ok } from '@grove/contract';
import { type Audit, changedBy } from '../audit/audit.ts';
import { isUniqueViolation, type TenantReads, type TenantTx } from '../db/db.ts';
import { algorithmOf } from '../engines/vision/face-templates.ts';
import type { NoteErased } from '../erasure-log/write-down.ts';
import { actor } from '../kernel/actor.ts';
import { fromDuration, toDtm } from '../kernel/clock.ts';
import type { Context } from '../kernel/context.ts';
import { personPaging, personPattern } from '../kernel/ensure-unmasked.ts';
import { ApiError, invalidInput } from '../kernel/errors.ts';
import { newId } from '../kernel/ids.ts';
import { bindDeps, type Handlers, type Input, prepared } from '../kernel/implement.ts';
import { mapInSlices } from '../kernel/in-slices.ts';
import { toPage } from '../kernel/pages.ts';
import { creation, trackedView, updateOf } from '../kernel/tracked.ts';
import type { Vault } from '../secrets/vault.ts';
import { deleteExpired, deleteMember } from './erase-again.ts';
import type { HashValue } from './hash-value.ts';
import {
  type Details,
  foldedNames,
  type MemberIds,
  memberKey,
  mergeDetails,
  openDetails,
  sealDetails,
  subjectOf,
  templateContext,
} from './member-details.ts';
import {
  addMember,
  changeMember,
  findMember,
  MEMBER_SORTABLE,
  type MemberRow,
  pageMembers,
  type StoredMember,
} from './members.repository.ts';
import { bytesOf, type ReadFace, type ReadTemplate } from './read-face.ts';
import { findList, findListForUpdate, type ListRow, nextRevision } from './watchlists.repository.ts';

/** The members of watchlists. Every read and every change is an audit event. */
export type MembersDeps = {
  vault: Pick<Vault, 'sealFor' | 'unsealerFor'>;
  audit: Pick<Audit, 'record' | 'noteRead'>;
  readFace: ReadFace;
  hashValue: HashValue;
  noteErased: NoteErased;
};

type MemberHandlers = Pick<
  Handlers<typeof api.watchlists>,
  'listMembers' | 'addMember' | 'addMemberImage' | 'getMember' | 'updateMember' | 'removeMember'
>;
type Member = Ok<typeof api.watchlists.getMember>;
type MemberInput = Details & { image?: string; expireAfter?: string };
/** What a search compares. It is computed before the transaction, so that no other writer waits for it. */
type SearchKey = { face?: ReadTemplate; hash?: Buffer };

const PURGED_AT_ONCE = 500;

type InputOf<Name extends keyof typeof api.watchlists> = Input<(typeof api.watchlists)[Name]>;

export function memberHandlers(deps: MembersDeps): MemberHandlers {
  return {
    ...bindDeps(deps, { listMembers, getMember, updateMember, removeMember }),
    addMember: prepared(
      async (context, { params, body }) => {
        const list = await getList(context.db, context, params.watchlistId);
        return readSearchKey(deps, context, list, body);
      },
      (context, { params, body }, searchKey) => add(deps, context, params.watchlistId, { input: body, searchKey }),
    ),
    addMemberImage: prepared(
      async (context, { params, body }) => {
        const list = await getList(context.db, context, params.watchlistId);
        if (list.type !== 'FACE')
          throw invalidInput({ pointer: '/value', message: 'is required: this list holds values, not faces' });
        return { face: await deps.readFace(shareOf(context), body.bytes, body.contentType) };
      },
      (context, { params, query }, searchKey) => add(deps, context, params.watchlistId, { input: query, searchKey }),
    ),
  };
}

async function listMembers(deps: MembersDeps, context: Context, { params, query }: InputOf<'listMembers'>) {
  const { vault, audit } = deps;
  const { db, now } = context;
  const page = personPaging(context.principal, query, MEMBER_SORTABLE, ['firstName', 'lastName']);
  const list = await getList(db, context, params.watchlistId);
  const unseal = list.num_members === 0 ? undefined : await vault.unsealerFor(db, subjectOf(list.id));
  const namesOf = (member: StoredMember) => foldedNames(unseal ? openDetails(unseal, member) : {});
  const filter = {
    environment: context.principal.environment,
    listId: list.id,
    numMembers: list.num_members,
    pattern: personPattern(context.principal, query.name, '/query/name'),
    now,
    namesOf,
  };
  const { rows, total } = await pageMembers(db, filter, page);
  audit.noteRead(context, { action: 'watchlist.membersRead', item: list.id });
  return toPage(await viewsOf(deps, db, list, rows), total, page, rows.at(-1)?.id);
}

async function getMember(deps: MembersDeps, context: Context, { params }: InputOf<'getMember'>) {
  const { audit } = deps;
  const { db, now } = context;
  const list = await getList(db, context, params.watchlistId);
  const row = await findMember(db, { listId: list.id, id: params.memberId, now });
  if (!row) throw new ApiError(100100);
  audit.noteRead(context, { action: 'watchlist.memberRead', item: list.id });
  return viewOf(deps, db, list, row);
}

async function updateMember(deps: MembersDeps, context: Context, { params, body }: InputOf<'updateMember'>) {
  const { audit } = deps;
  const listBefore = await getList(context.db, context, params.watchlistId);
  const searchKey = body.image === undefined ? {} : await readSearchKey(deps, context, listBefore, body);
  return context.db.write(async (tx) => {
    const list = await getListForUpdate(tx, context, params.watchlistId);
    const before = await findMember(tx, { listId: list.id, id: params.memberId, now: context.now });
    if (!before) throw new ApiError(100100);
    const after = await storeChange(deps, tx, context, { list, before, input: body, searchKey });
    await audit.record(tx, { ...changedBy(context), action: 'watchlist.memberUpdated', item: list.id });
    return viewOf(deps, tx, list, after);
  });
}

async function removeMember(deps: MembersDeps, context: Context, { params }: InputOf<'removeMember'>) {
  await context.db.write(async (tx) => {
    const list = await getListForUpdate(tx, context, params.watchlistId);
    const memberIds = { listId: list.id, memberId: params.memberId };
    if (!(await deleteMember(deps, tx, memberIds, changedBy(context)))) throw new ApiError(100100);
    await deps.noteErased(tx, 'watchlist-member', [memberKey(memberIds)]);
  });
  return undefined;
}

function add(
  deps: MembersDeps,
  context: Context,
  listId: string,
  { input, searchKey }: { input: MemberInput; searchKey: SearchKey },
): Promise<Member> {
  return context.db.write(async (tx) => {
    const list = await getListForUpdate(tx, context, listId);
    const row = await storeMember(deps, tx, context, { list, input, searchKey });
    await deps.audit.record(tx, { ...changedBy(context), action: 'watchlist.memberAdded', item: list.id });
    return viewOf(deps, tx, list, row);
  });
}

async function viewsOf({ vault }: MembersDeps, db: TenantReads, list: ListRow, rows: readonly MemberRow[]) {
  if (rows.length === 0) return [];
  const unseal = await vault.unsealerFor(db, subjectOf(list.id));
  return mapInSlices(db, rows, (row) => toMember(list, row, openDetails(unseal, row)));
}

async function viewOf(deps: MembersDeps, db: TenantReads, list: ListRow, row: MemberRow): Promise<Member> {
  return (await viewsOf(deps, db, list, [row]))[0] as Member;
}

/** A list of the other environment is treated as missing. */
export async function getList(db: TenantReads, { principal }: Context, id: string): Promise<ListRow> {
  const list = await findList(db, { environment: principal.environment, id });
  if (!list) throw new ApiError(100041);
  return list;
}

async function getListForUpdate(tx: TenantTx, { principal }: Context, id: string): Promise<ListRow> {
  const list = await findListForUpdate(tx, { environment: principal.environment, id });
  if (!list) throw new ApiError(100041);
  return list;
}

const shareOf = ({ tenantId, principal }: Context) => ({ tenant: tenantId, sender: principal.callerId });

type SearchInput = { image?: string; value?: string };

/** Reads the face, or hashes the value, of a new member or of a person to search for. */
export async function readSearchKey(
  { readFace, hashValue }: Pick<MembersDeps, 'readFace' | 'hashValue'>,
  context: Context,
  list: ListRow,
  { image, value }: SearchInput,
): Promise<SearchKey> {
  if (list.type === 'FACE') {
    if (value !== undefined) throw invalidInput({ pointer: '/value', message: 'is not allowed on a list of faces' });
    const bytes = image === undefined ? undefined : bytesOf(image);
    if (!bytes) throw invalidInput({ pointer: '/image', message: 'must be an image in base64' });
    return { face: await readFace(shareOf(context), bytes) };
  }
  if (image !== undefined) throw invalidInput({ pointer: '/image', message: 'is allowed only on a list of faces' });
  const hash = value === undefined ? undefined : await hashValue(context.tenantId, list, value);
  const what = list.type === 'EMAIL' ? 'an e-mail address' : 'a document number';
  if (!hash) throw invalidInput({ pointer: '/value', message: `must be ${what}` });
  return { hash };
}

type NewMember = { list: ListRow; input: MemberInput; searchKey: SearchKey };

async function storeMember(
  deps: MembersDeps,
  tx: TenantTx,
  { now, principal }: Context,
  { list, input, searchKey }: NewMember,
): Promise<MemberRow> {
  await ensureRoom(deps, tx, list, now);
  const id = newId(now);
  const details = mergeDetails(input.value === undefined ? {} : { value: input.value }, input);
  const row: MemberRow = {
    watchlist_id: list.id,
    id,
    revision: await nextRevision(tx, list.id, 1),
    ...foldedNames(details),
    details: await sealDetails(deps.vault, tx, { listId: list.id, memberId: id }, details),
    ...(await sealFace(deps, tx, { listId: list.id, memberId: id }, searchKey.face)),
    value_hash: searchKey.hash ?? null,
    expires_at: expiryOf(input.expireAfter ?? list.expire_after, now),
    ...creation(actor(principal), now),
  };
  try {
    await addMember(tx, row);
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    throw new ApiError(100104, { cause: error });
  }
  return row;
}

/** Ensures that the list is not full. Expired members are removed at once, because the purge may run much later. */
async function ensureRoom(deps: MembersDeps, tx: TenantTx, list: ListRow, now: number): Promise<void> {
  const removedCount = await deleteExpired(deps, tx, { listId: list.id, now, limit: PURGED_AT_ONCE });
  if (list.num_members - removedCount >= list.max_size) throw new ApiError(100101);
}

type StoredFace = Pick<MemberRow, 'template' | 'algorithm' | 'quality'>;

async function sealFace(
  { vault }: MembersDeps,
  tx: TenantTx,
  { listId, memberId }: MemberIds,
  face: ReadTemplate | undefined,
): Promise<StoredFace> {
  if (!face) return { template: null, algorithm: null, quality: null };
  const template = await vault.sealFor(tx, subjectOf(listId), templateContext(memberId), face.template);
  return { template, algorithm: algorithmOf(face.template), quality: Math.round(face.quality * 100) / 100 };
}

type MemberChange = NewMember & { before: MemberRow };

async function storeChange(
  deps: MembersDeps,
  tx: TenantTx,
  { now, principal }: Context,
  { list, before, input, searchKey }: MemberChange,
): Promise<MemberRow> {
  const memberIds = { listId: list.id, memberId: before.id };
  const unseal = await deps.vault.unsealerFor(tx, subjectOf(list.id));
  const detailsBefore = openDetails(unseal, before);
  const details = mergeDetails(detailsBefore, input);
  const after: MemberRow = {
    ...before,
    ...foldedNames(details),
    revision: await nextRevision(tx, list.id, 0),
    details: await sealDetails(deps.vault, tx, memberIds, details),
    ...(searchKey.face && (await sealFace(deps, tx, memberIds, searchKey.face))),
    expires_at: input.expireAfter === undefined ? before.expires_at : expiryOf(input.expireAfter, now),
    ...updateOf({ principal, now }),
  };
  await changeMember(tx, after);
  return after;
}

function expiryOf(duration: string | null, now: number): number | null {
  if (!duration) return null;
  const ms = fromDuration(duration);
  if (ms <= 0) throw invalidInput({ pointer: '/expireAfter', message: 'must be greater than zero' });
  return now + ms;
}

function toMember({ environment }: ListRow, row: MemberRow, details: Details): Member {
  return {
    id: row.id,
    environment,
    watchlistId: row.watchlist_id,
    ...details,
    ...(row.quality !== null && { quality: row.quality }),
    ...(row.expires_at !== null && { expiringDtm: toDtm(row.expires_at) }),
    ...trackedView(row),
  };
}
