import type { IdentityEventType } from '@grove/contract';
import { api, type Ok } from '@grove/contract';
import type { TenantReads, TenantTx } from '../../db/db.ts';
import type { ProviderSettings } from '../../engines/push/push.ts';
import { toDtm } from '../../kernel/clock.ts';
import { ensureUnchanged } from '../../kernel/ensure-unchanged.ts';
import { ApiError } from '../../kernel/errors.ts';
import { implement } from '../../kernel/implement.ts';
import { paging, toPage } from '../../kernel/pages.ts';
import type { IdentityCore } from '../identity-core.ts';
import { getStore, type Store } from '../stores/find-store.ts';
import {
  changePolicy,
  findPolicy,
  findPolicyForUpdate,
  type PolicyRow,
  policiesOfStore,
} from '../stores/store-policies.repository.ts';
import { createPolicy, deletePolicy, getPolicy } from '../stores/store-policies.ts';
import { checkSettings, openSettings, providersOf, sealSettings, settingsOf } from './push-settings.ts';

/** The push notification policies of relying parties with appkeys. */
type Policies = Pick<
  typeof api.pushNotifications,
  'createPolicy' | 'getPolicy' | 'updatePolicy' | 'deletePolicy' | 'listRelyingParties'
>;
export type PushPolicy = Ok<typeof api.pushNotifications.getPolicy>;

export type PushPolicyDeps = Pick<IdentityCore, 'vault' | 'addIdentityEvent'> & {
  /** Returns the reason why the server may not send requests to an address. */
  faultOfAddress(uri: string): string | undefined;
};

const keyOf = (storeId: string, rpId: string) => ({ storeId, kind: 'PUSH', name: rpId }) as const;

export function pushPolicyHandlers({ vault, addIdentityEvent, faultOfAddress }: PushPolicyDeps) {
  const tell = (tx: TenantTx, store: Store, about: { type: IdentityEventType; rpId: string; now: number }) =>
    addIdentityEvent(tx, { environment: store.environment, storeName: store.name, ...about });

  return implement<Policies>(api.pushNotifications, {
    async createPolicy(context, { params, body }) {
      const { now } = context;
      const { rpId } = body;
      const settings = settingsOf(body);
      checkSettings(settings, faultOfAddress);
      return context.db.write(async (tx) => {
        const store = await getStore(tx, context, params.storeName);
        await getPolicy(tx, { storeId: store.id, kind: 'APPKEY', name: rpId });
        const { status = 'ACTIVE', numberMatching } = body;
        const config = policyFrom({ rpId, status, numberMatching, createdDtm: toDtm(now) }, settings, now);
        const sealed = await sealSettings(vault, tx, { storeId: store.id, rpId }, settings);
        await createPolicy(tx, keyOf(store.id, rpId), { config, sealed, now });
        await tell(tx, store, { type: 'identity.configCreated', rpId, now });
        return config;
      });
    },

    async getPolicy(context, { params }) {
      const store = await getStore(context.db, context, params.storeName);
      return (await getPushPolicy(context.db, store.id, params.rpId)).policy;
    },

    async updatePolicy(context, { params: { storeName, rpId }, query, body }) {
      const { now } = context;
      const input = settingsOf(body);
      checkSettings(input, faultOfAddress);
      return context.db.write(async (tx) => {
        const store = await getStore(tx, context, storeName);
        const before = readRow(await findPolicyForUpdate(tx, keyOf(store.id, rpId)));
        ensureUnchanged(query, before);
        const policyKey = { storeId: store.id, rpId };
        const settings = { ...(await openSettings(vault, tx, policyKey, before.sealed)), ...input };
        const { status = before.policy.status, numberMatching = before.policy.numberMatching } = body;
        const config = policyFrom({ ...before.policy, status, numberMatching }, settings, now);
        const sealed = await sealSettings(vault, tx, policyKey, settings);
        await changePolicy(tx, { ...keyOf(store.id, rpId), config: JSON.stringify(config), sealed, now });
        await tell(tx, store, { type: 'identity.configUpdated', rpId, now });
        return config;
      });
    },

    async deletePolicy(context, { params }) {
      const { now } = context;
      const { rpId } = params;
      await context.db.write(async (tx) => {
        const store = await getStore(tx, context, params.storeName);
        await getPushPolicy(tx, store.id, rpId);
        await deletePolicy(tx, keyOf(store.id, rpId));
        await tell(tx, store, { type: 'identity.configDeleted', rpId, now });
      });
      return undefined;
    },

    async listRelyingParties(context, { params, query }) {
      const store = await getStore(context.db, context, params.storeName);
      const pageRequest = paging(query, { rpId: 'name' });
      const rows = await policiesOfStore(context.db, { storeId: store.id });
      const all = relyingPartiesOf(rows)
        .filter(({ configurationStatus }) => (query.configurationStatus ?? configurationStatus) === configurationStatus)
        .toSorted((one, other) => (one.rpId < other.rpId ? -1 : 1));
      if (/\bname DESC\b/.test(pageRequest.orderBy)) all.reverse();
      return toPage(all.slice(pageRequest.offset, pageRequest.offset + pageRequest.size), all.length, pageRequest);
    },
  });
}

type PolicyMembers = Pick<PushPolicy, 'rpId' | 'status' | 'createdDtm'> & { numberMatching: boolean | undefined };

function policyFrom(members: PolicyMembers, settings: ProviderSettings, now: number): PushPolicy {
  const { rpId, status, createdDtm, numberMatching } = members;
  const matching = numberMatching === true && { numberMatching };
  return { rpId, status, ...matching, providers: providersOf(settings), createdDtm, lastUpdatedDtm: toDtm(now) };
}

/** Every relying party with appkeys can have a push policy. Only one with an active policy can send. */
function relyingPartiesOf(rows: readonly PolicyRow[]) {
  const active = new Set(
    rows.filter((row) => row.kind === 'PUSH' && readRow(row).policy.status === 'ACTIVE').map(({ name }) => name),
  );
  return rows
    .filter(({ kind }) => kind === 'APPKEY')
    .map(({ name: rpId }) => ({
      rpId,
      configurationStatus: active.has(rpId) ? ('CONFIGURED' as const) : ('NOT_CONFIGURED' as const),
    }));
}

export type StoredPushPolicy = {
  policy: PushPolicy;
  sealed: Uint8Array;
  last_updated_at: number;
  last_updated_by: null;
};

/** Returns the policy, or throws 100030. */
export async function getPushPolicy(db: TenantReads, storeId: string, rpId: string): Promise<StoredPushPolicy> {
  return readRow(await findPolicy(db, keyOf(storeId, rpId)));
}

function readRow(row: PolicyRow | undefined): StoredPushPolicy {
  if (!row || row.sealed === null) throw new ApiError(100030);
  const { sealed, last_updated_at } = row;
  return { policy: JSON.parse(row.config) as PushPolicy, sealed, last_updated_at, last_updated_by: null };
}
