import { api, type Ok } from '@grove/contract';
import { ensureBelowLimit } from '../../db/below-limit.ts';
import type { TenantReads } from '../../db/db.ts';
import { ensureUniqueName } from '../../db/unique-name.ts';
import { toDtm } from '../../kernel/clock.ts';
import { ensureUnchanged } from '../../kernel/ensure-unchanged.ts';
import { ApiError, invalidInput } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { implement } from '../../kernel/implement.ts';
import { fold, likePattern, paging, toPage } from '../../kernel/pages.ts';
import type { AddIdentityEvent } from '../events/identity-events.ts';
import { type PolicyKind, policiesOfStore } from './store-policies.repository.ts';
import { withDate } from './store-policies.ts';
import { checkConfiguration, mergeConfiguration, type StoreConfiguration } from './store-rules.ts';
import { addStore, changeStore, countStores, findStore, findStoreForUpdate, pageStores } from './stores.repository.ts';
import { SORTABLE, type StoreRow } from './stores.table.ts';

/** Identity stores and their configuration (specification 4.10). */

export const MAX_STORES_PER_ENVIRONMENT = 1000;

/** The name is part of URLs, so it has no character that a browser or a proxy would change. */
const NAME = /^[\p{L}\p{N}](?:[\p{L}\p{N} ._-]*[\p{L}\p{N}_-])?$/u;

type Store = Ok<typeof api.stores.get>;

export function storeHandlers({ addIdentityEvent }: { addIdentityEvent: AddIdentityEvent }) {
  return implement(api.stores, {
    async create({ db, now, principal: { environment } }, { body }) {
      const { name, description = null, status = 'ACTIVE', configuration = {} } = body;
      if (!NAME.test(name)) {
        const message =
          'must have only letters, digits, spaces, . _ and -, begin with a letter or digit, not end with a space or dot';
        throw invalidInput({ pointer: '/name', message });
      }
      checkConfiguration(configuration);
      const row: StoreRow = {
        id: newId(now),
        environment,
        name,
        name_folded: fold(name),
        description,
        status,
        configuration: JSON.stringify(settingsOf(configuration)),
        created_at: now,
        last_updated_at: now,
      };
      return db.write(async (tx) => {
        const count = () => countStores(tx, { environment });
        await ensureBelowLimit(tx, { of: ['identity_stores', environment], limit: MAX_STORES_PER_ENVIRONMENT, count });
        await ensureUniqueName('identity store', name, () => addStore(tx, row));
        await addIdentityEvent(tx, { environment, storeName: name, type: 'identity.storeCreated', now });
        return viewOf(tx, row);
      });
    },

    async list({ db, principal: { environment } }, { query }) {
      const page = paging(query, SORTABLE);
      const pattern = likePattern(query.name, '/query/name');
      const { rows, total } = await pageStores(db, { environment, pattern }, page);
      const content: Store[] = [];
      for (const row of rows) content.push(await viewOf(db, row));
      return toPage(content, total, page);
    },

    async get({ db, principal: { environment } }, { params }) {
      const row = await findStore(db, { environment, name: params.storeName });
      if (!row) throw new ApiError(100027);
      return viewOf(db, row);
    },

    async update({ db, now, principal: { environment } }, { params: { storeName }, query, body }) {
      checkConfiguration(body.configuration ?? {});
      return db.write(async (tx) => {
        const before = await findStoreForUpdate(tx, { environment, name: storeName });
        if (!before) throw new ApiError(100027);
        ensureUnchanged(query, { ...before, last_updated_by: null });
        const configuration = mergeConfiguration(
          JSON.parse(before.configuration) as StoreConfiguration,
          settingsOf(body.configuration ?? {}),
        );
        const after: StoreRow = {
          ...before,
          description: body.description ?? before.description,
          status: body.status ?? before.status,
          configuration: JSON.stringify(configuration),
          last_updated_at: now,
        };
        await changeStore(tx, after);
        await addIdentityEvent(tx, { environment, storeName, type: 'identity.storeUpdated', now });
        return viewOf(tx, after);
      });
    },
  });
}

/** Keeps the settings of the store itself. Other members, such as configurations of relying parties, are dropped. */
function settingsOf(input: StoreConfiguration): StoreConfiguration {
  const { defaultLocale, defaultTimeZone, defaultUserStatus, maxUsers, lockConfiguration, faceConfiguration } = input;
  return {
    ...(defaultLocale !== undefined && { defaultLocale }),
    ...(defaultTimeZone !== undefined && { defaultTimeZone }),
    ...(defaultUserStatus !== undefined && { defaultUserStatus }),
    ...(maxUsers !== undefined && { maxUsers }),
    ...(lockConfiguration !== undefined && { lockConfiguration }),
    ...(faceConfiguration !== undefined && { faceConfiguration }),
  };
}

const MEMBER_OF = {
  APPKEY: 'appkeyConfigs',
  PASSKEY: 'passkeyConfigs',
  TOTP: 'totpPolicies',
  PUSH: 'pushNotificationPolicies',
} as const satisfies Record<PolicyKind, keyof Store['configuration']>;

async function viewOf(db: TenantReads, row: StoreRow): Promise<Store> {
  const configs = { appkeyConfigs: {}, passkeyConfigs: {}, totpPolicies: {}, pushNotificationPolicies: {} };
  for (const { kind, name, config, last_updated_at } of await policiesOfStore(db, { storeId: row.id })) {
    Object.assign(configs[MEMBER_OF[kind]], { [name]: withDate(JSON.parse(config) as object, last_updated_at) });
  }
  return {
    id: row.id,
    environment: row.environment,
    name: row.name,
    ...(row.description !== null && { description: row.description }),
    status: row.status,
    configuration: { ...(JSON.parse(row.configuration) as StoreConfiguration), ...configs },
    createdDtm: toDtm(row.created_at),
    lastUpdatedDtm: toDtm(row.last_updated_at),
  };
}
