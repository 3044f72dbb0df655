import { api, type IdentityEventType } from '@grove/contract';
import type { TenantTx } from '../../db/db.ts';
import type { NoteErased } from '../../erasure-log/write-down.ts';
import { toDtm } from '../../kernel/clock.ts';
import type { Context } from '../../kernel/context.ts';
import { personPaging, personPattern } from '../../kernel/ensure-unmasked.ts';
import { ApiError } from '../../kernel/errors.ts';
import { bindDeps, type Input, implement } from '../../kernel/implement.ts';
import { paging, toPage } from '../../kernel/pages.ts';
import { pageAuthentications } from '../attempts/authentications.repository.ts';
import { type AuthenticationRow, SORTABLE as SORTABLE_AUTHENTICATIONS } from '../attempts/authentications.table.ts';
import type { Modality } from '../attempts/lock-rules.ts';
import { type CeremonyRow, openCeremoniesOf } from '../ceremonies/ceremonies.repository.ts';
import type { IdentityCore } from '../identity-core.ts';
import { getActiveStore, getStore } from '../stores/find-store.ts';
import { applyChange, lockUser, unlockUser } from './change-user.ts';
import { createUser } from './create-user.ts';
import { deleteUser, removeHistory } from './delete-user.ts';
import { getUser, getUserForUpdate, givenUserRef } from './find-user.ts';
import { pageUsers, SORTABLE } from './list-users.repository.ts';
import type { User } from './user-view.ts';
import type { UserRow } from './users.repository.ts';

/** The users of an identity store (specification 4.10). */

type UserParams = { readonly storeName: string };

/** A user has few sessions, so they are sorted in memory. */
const SORTABLE_SESSIONS = { id: 'id', createdDtm: 'id' } as const;

type UserDeps = Pick<IdentityCore, 'vault' | 'addIdentityEvent' | 'userView' | 'userViews' | 'findUserView'> & {
  noteErased: NoteErased;
};

type InputOf<Name extends keyof typeof api.users> = Input<(typeof api.users)[Name]>;

export function userHandlers(core: UserDeps) {
  return implement(api.users, {
    ...bindDeps(core, { create, list, get, update, delete: remove, lock, unlock }),
    listSessions,
    listAuthentications,
  });
}

function create(core: UserDeps, context: Context, { params, body }: InputOf<'create'>) {
  const { now } = context;
  return context.db.write(async (tx) => {
    const store = await getActiveStore(tx, context, params.storeName);
    return core.userView(tx, await createUser(core, tx, store, { input: body, now }), now);
  });
}

async function list(core: UserDeps, context: Context, { params, query }: InputOf<'list'>) {
  const { db, now } = context;
  const page = personPaging(context.principal, query, SORTABLE, ['extId']);
  const store = await getStore(db, context, params.storeName);
  const pattern = personPattern(context.principal, query.extId, '/query/extId');
  const filter = { environment: store.environment, storeId: store.id, pattern, status: query.status, now };
  const { rows, total } = await pageUsers(db, filter, page);
  return toPage(await core.userViews(db, rows, now), total, page, rows.at(-1)?.id);
}

async function get(core: UserDeps, context: Context, { params }: InputOf<'get'>) {
  const { db, now, principal } = context;
  const { storeName } = params;
  const at = { environment: principal.environment, storeName, ref: givenUserRef(params) };
  const user = await core.findUserView(db, at, now);
  if (user) return user;
  await getStore(db, context, storeName);
  throw new ApiError(100028);
}

function update(core: UserDeps, context: Context, { params, body }: InputOf<'update'>) {
  return change(core, context, params, async (tx, user) => {
    const { after, unlocked } = await applyChange(core.vault, tx, user, { input: body, now: context.now });
    return { after, type: unlocked ? 'identity.userUnlocked' : 'identity.userUpdated' };
  });
}

async function remove(core: UserDeps, context: Context, { params }: InputOf<'delete'>) {
  const { now, db } = context;
  const { id: storeId } = await getStore(db, context, params.storeName);
  await removeHistory(db, (await getUser(db, storeId, givenUserRef(params))).id, now);
  await db.write(async (tx) => {
    const store = await getStore(tx, context, params.storeName);
    const user = await getUserForUpdate(tx, store.id, givenUserRef(params));
    await deleteUser(core, tx, user, { store, now });
    await core.noteErased(tx, 'user', [user.id]);
  });
  return undefined;
}

function lock(core: UserDeps, context: Context, { params, body }: InputOf<'lock'>) {
  return change(core, context, params, async (tx, user) => ({
    after: await lockUser(tx, user, { duration: body.duration, now: context.now }),
    type: 'identity.userLocked',
  }));
}

function unlock(core: UserDeps, context: Context, { params, body }: InputOf<'unlock'>) {
  return change(core, context, params, async (tx, user) => ({
    after: await unlockUser(tx, user, { modality: body.modality, now: context.now }),
    type: 'identity.userUnlocked',
    ...(body.modality && { modality: body.modality }),
  }));
}

async function listSessions(context: Context, { params, query }: InputOf<'listSessions'>) {
  const { db, now } = context;
  const page = paging(query, SORTABLE_SESSIONS);
  const store = await getStore(db, context, params.storeName);
  const user = await getUser(db, store.id, givenUserRef(params));
  const open = await openCeremoniesOf(db, user.id, now);
  const inOrder = page.sorts > 0 && page.orderBy.startsWith('id ASC') ? open.toReversed() : open;
  const content = inOrder.slice(page.offset, page.offset + page.size).map(toSession);
  return toPage(content, open.length, page);
}

async function listAuthentications(context: Context, { params, query }: InputOf<'listAuthentications'>) {
  const { db, principal } = context;
  const page = paging(query, SORTABLE_AUTHENTICATIONS);
  const store = await getStore(db, context, params.storeName);
  const user = await getUser(db, store.id, givenUserRef(params));
  const filter = { userId: user.id, modality: query.modality, environment: principal.environment };
  const { rows, total } = await pageAuthentications(db, filter, page);
  return toPage(rows.map(toAuthentication), total, page, rows.at(-1)?.id);
}

type UserChange = { after: UserRow; type: IdentityEventType; modality?: Modality };

/** Locks the user of the path, changes it by `work` and returns it as it is afterwards. */
function change(
  core: UserDeps,
  context: Context,
  params: UserParams,
  work: (tx: TenantTx, user: UserRow) => Promise<UserChange>,
): Promise<User> {
  const { now } = context;
  return context.db.write(async (tx) => {
    const store = await getStore(tx, context, params.storeName);
    const user = await getUserForUpdate(tx, store.id, givenUserRef(params));
    const { after, ...event } = await work(tx, user);
    const { environment, name: storeName } = store;
    await core.addIdentityEvent(tx, { environment, storeName, ...event, userId: user.id, now });
    return core.userView(tx, after, now);
  });
}

function toSession({ id, kind, rp_id, username, created_at, expires_at }: CeremonyRow) {
  const [modality, type] = kind.split('_') as ['PASSKEY' | 'APPKEY', 'REGISTRATION' | 'AUTHENTICATION'];
  return {
    id,
    type,
    modality,
    ...(rp_id !== null && { rpId: rp_id }),
    ...(username !== null && { username }),
    createdDtm: toDtm(created_at),
    expiringDtm: toDtm(expires_at),
  };
}

function toAuthentication({ id, modality, succeeded, code, rp_id, created_at }: AuthenticationRow) {
  return {
    id,
    modality,
    succeeded: succeeded === 1,
    ...(code !== null && { code }),
    ...(rp_id !== null && { rpId: rp_id }),
    createdDtm: toDtm(created_at),
  };
}
