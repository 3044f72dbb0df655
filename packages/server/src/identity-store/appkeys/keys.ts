import { api } from '@grove/contract';
import type { TenantReads, TenantTx } from '../../db/db.ts';
import type { Context } from '../../kernel/context.ts';
import { ApiError } from '../../kernel/errors.ts';
import { implement } from '../../kernel/implement.ts';
import { paging, toPage } from '../../kernel/pages.ts';
import type { IdentityCore } from '../identity-core.ts';
import { getStore, type Store } from '../stores/find-store.ts';
import { getUser, getUserForUpdate, givenUserRef, type UserRow } from '../users/find-user.ts';
import {
  type AppkeyRow,
  findAppkey,
  pageAppkeys,
  removeAppkey,
  removeAppkeys,
  SORTABLE,
  setAppkeyStatus,
} from './appkeys.repository.ts';
import { getConfig } from './configs.ts';
import { removeEmptyDevices } from './devices.repository.ts';
import { toAppkey } from './to-appkey.ts';

/** The appkeys of a user. Only a caller of the API can remove one; the UAF client cannot. */
type Keys = Pick<typeof api.appkeys, 'listKeys' | 'updateKey' | 'deregister' | 'deregisterKey'>;

export function appkeyHandlers({ addIdentityEvent, userView }: Pick<IdentityCore, 'addIdentityEvent' | 'userView'>) {
  const removed = (
    tx: TenantTx,
    { environment, name: storeName }: Store,
    about: { userId: string; rpId: string; now: number },
  ) =>
    addIdentityEvent(tx, {
      ...about,
      environment,
      storeName,
      type: 'identity.authenticatorRemoved',
      modality: 'APPKEY',
    });

  return implement<Keys>(api.appkeys, {
    async listKeys(context, { params, query }) {
      const { db } = context;
      const { rpId } = params;
      const user = await findOwner(db, context, params);
      const pageRequest = paging(query, SORTABLE);
      const { rows, total } = await pageAppkeys(db, { userId: user.id, rpId }, pageRequest);
      return toPage(rows.map(toAppkey), total, pageRequest);
    },

    async updateKey(context, { params, body: { status } }) {
      return context.db.write(async (tx) => {
        const { store, user } = await lockOwner(tx, context, params);
        const key = await getKey(tx, { store, user, ...params });
        await setAppkeyStatus(tx, { id: key.id, status });
        return toAppkey({ ...key, status });
      });
    },

    async deregister(context, { params }) {
      const { now } = context;
      return context.db.write(async (tx) => {
        const { store, user } = await lockOwner(tx, context, params);
        const of = { userId: user.id, rpId: params.rpId };
        if ((await removeAppkeys(tx, of)) > 0) await removed(tx, store, { ...of, now });
        await removeEmptyDevices(tx, of);
        return userView(tx, user, now);
      });
    },

    async deregisterKey(context, { params }) {
      const { now } = context;
      return context.db.write(async (tx) => {
        const { store, user } = await lockOwner(tx, context, params);
        const of = { userId: user.id, rpId: params.rpId };
        await removeAppkey(tx, { id: (await getKey(tx, { store, user, ...params })).id });
        await removeEmptyDevices(tx, of);
        await removed(tx, store, { ...of, now });
        return userView(tx, user, now);
      });
    },
  });
}

type KeyParams = { storeName: string; rpId: string };

async function findOwner(db: TenantReads, context: Context, params: KeyParams): Promise<UserRow> {
  const store = await getStore(db, context, params.storeName);
  const user = await getUser(db, store.id, givenUserRef(params));
  await getConfig(db, store.id, params.rpId);
  return user;
}

/** Locks the row of the user: an authentication at the same moment runs completely before or completely after. */
export async function lockOwner(
  tx: TenantTx,
  context: Context,
  params: KeyParams,
): Promise<{ store: Store; user: UserRow }> {
  const store = await getStore(tx, context, params.storeName);
  const user = await getUserForUpdate(tx, store.id, givenUserRef(params));
  await getConfig(tx, store.id, params.rpId);
  return { store, user };
}

/** Refuses a key of another user with 100032, as if it did not exist. */
async function getKey(
  tx: TenantTx,
  { store, user, rpId, keyId }: { store: Store; user: UserRow; rpId: string; keyId: string },
): Promise<AppkeyRow> {
  const key = await findAppkey(tx, { storeId: store.id, rpId, keyId });
  if (!key || key.user_id !== user.id) throw new ApiError(100032);
  return key;
}
