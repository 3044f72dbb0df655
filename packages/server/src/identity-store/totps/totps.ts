import { api } from '@grove/contract';
import type { TenantReads, TenantTx } from '../../db/db.ts';
import { toDtm } from '../../kernel/clock.ts';
import { ApiError, invalidInput } from '../../kernel/errors.ts';
import { implement } from '../../kernel/implement.ts';
import type { NewIdentityEvent } from '../events/identity-events.ts';
import type { IdentityCore } from '../identity-core.ts';
import { getStore, type Store } from '../stores/find-store.ts';
import { createPolicy, updatePolicy, withDate } from '../stores/store-policies.ts';
import { getUserForUpdate, givenUserRef } from '../users/find-user.ts';
import type { SummaryInfo } from '../users/user-view.ts';
import { MODALITY, type TotpCeremonies, totpPolicyOf } from './totp-ceremonies.ts';
import { changedPolicy, newPolicy, type TotpPolicy } from './totp-policies.ts';
import { removePending, removeTotp, totpsOf } from './totps.repository.ts';

/** Time-based one-time passwords, RFC 6238 (specification 4.10). */

/** The name of a policy is part of URLs. */
const POLICY_NAME = /^[\p{L}\p{N}](?:[\p{L}\p{N} ._-]*[\p{L}\p{N}_-])?$/u;

export function totpHandlers(core: IdentityCore, ceremonies: TotpCeremonies) {
  const addEvent = (
    tx: TenantTx,
    { environment, name: storeName }: Store,
    event: Pick<NewIdentityEvent, 'type' | 'userId' | 'now'>,
  ) => core.addIdentityEvent(tx, { environment, storeName, modality: MODALITY, ...event });

  return implement(api.totps, {
    async createPolicy(context, { params, body }) {
      const { now } = context;
      if (!POLICY_NAME.test(body.name)) {
        const message = 'must consist of letters, digits, spaces, . _ and -, and begin with a letter or a digit';
        throw invalidInput({ pointer: '/name', message });
      }
      return context.db.write(async (tx) => {
        const store = await getStore(tx, context, params.storeName);
        const policy = newPolicy(store, body);
        await createPolicy(tx, { storeId: store.id, kind: MODALITY, name: policy.name }, { config: policy, now });
        await addEvent(tx, store, { type: 'identity.configCreated', now });
        return withDate(policy, now);
      });
    },

    async updatePolicy(context, { params, query: ifUnchanged, body }) {
      const { now } = context;
      return context.db.write(async (tx) => {
        const store = await getStore(tx, context, params.storeName);
        const key = { storeId: store.id, kind: MODALITY, name: params.policyName } as const;
        const change = (before: TotpPolicy) => changedPolicy(before, body);
        const policy = await updatePolicy<TotpPolicy>(tx, key, { change, ifUnchanged, now });
        await addEvent(tx, store, { type: 'identity.configUpdated', now });
        return policy;
      });
    },

    async startRegistration(context, { params }) {
      return (await ceremonies.startRegistration(context, { ...params, user: givenUserRef(params) })).secretView;
    },

    completeRegistration: (context, { params, body }) =>
      ceremonies.completeRegistration(context, { ...params, user: givenUserRef(params) }, body.code),

    async authenticate(context, { params, body }) {
      const address = { ...params, user: givenUserRef(params) };
      const { authenticationId, user } = await ceremonies.authenticate(context, address, body.code);
      return { authenticationId, user };
    },

    async deregister(context, { params }) {
      const { now } = context;
      return context.db.write(async (tx) => {
        const store = await getStore(tx, context, params.storeName);
        const policy = await totpPolicyOf(tx, store.id, params.policyName);
        const user = await getUserForUpdate(tx, store.id, givenUserRef(params));
        const key = { userId: user.id, policyName: policy.name };
        const pending = await removePending(tx, key);
        if (!(await removeTotp(tx, key)) && !pending) throw new ApiError(100053);
        await addEvent(tx, store, { type: 'identity.authenticatorRemoved', userId: user.id, now });
        return core.userView(tx, user, now);
      });
    },
  });
}

export async function summarizeTotps(
  db: TenantReads,
  userIds: readonly string[],
  now: number,
): Promise<ReadonlyMap<string, SummaryInfo['totps']>> {
  const summaries = new Map<string, SummaryInfo['totps']>();
  for (const { user_id, policy_name, status, created_at } of await totpsOf(db, userIds, now)) {
    const those = summaries.get(user_id) ?? [];
    those.push({ policyName: policy_name, status, createdDtm: toDtm(created_at) });
    summaries.set(user_id, those);
  }
  return summaries;
}
