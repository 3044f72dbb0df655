import type { Body } from '@grove/contract';
import { type ApiKey, api } from '@grove/contract';
import type { Static } from 'typebox';
import { isBelowLimit } from '../../db/below-limit.ts';
import type { TenantTx } from '../../db/db.ts';
import { ensureUniqueName } from '../../db/unique-name.ts';
import { actor } from '../../kernel/actor.ts';
import { DAY, toDtm } from '../../kernel/clock.ts';
import type { Context, Principal } from '../../kernel/context.ts';
import { ApiError, invalidInput } from '../../kernel/errors.ts';
import { newId, type TenantId } from '../../kernel/ids.ts';
import { implement, mayRunAgain, type OpenContext } from '../../kernel/implement.ts';
import { mapInSlices } from '../../kernel/in-slices.ts';
import { fold, likePattern, paging, toPage } from '../../kernel/pages.ts';
import { withoutTenant } from '../../kernel/permissions.ts';
import type { RateLimiter } from '../../kernel/rate-limiter.ts';
import { creation, updateOf } from '../../kernel/tracked.ts';
import type { VersionedKey } from '../../secrets/sealing.ts';
import { checkExpiry, checkGrants, checkPermissions, checkSight, openPermissions } from './api-key-rules.ts';
import { hashApiKey, maskedCode, newApiKeySecret, parseApiKey } from './api-key-secret.ts';
import {
  addApiKey,
  changeApiKey,
  countApiKeys,
  findApiKeyForUpdate,
  findApiKeyView,
  pageApiKeys,
  removeApiKey,
} from './api-keys.repository.ts';
import { type ApiKeyRow, type ApiKeyView, SORTABLE } from './api-keys.table.ts';
import type { Issue } from './issue.ts';
import type { KeysInUse } from './keys-in-use.ts';
import type { LastIssued } from './last-issued.ts';

/** Management of API keys, and the exchange of a key for a token (specification 4.1 to 4.6). */

export const MAX_API_KEYS_PER_TENANT = 100_000;
/** Test keys leave this many of the tenant's keys to live ones. */
const RESERVED_FOR_LIVE = 1000;

export type ApiKeysDeps = {
  pepper: VersionedKey;
  keys: KeysInUse;
  lastIssued: LastIssued;
  issue: Issue;
  /** Counts failed exchanges by address and by key; absent when limits are off. */
  failures: RateLimiter | undefined;
};

export function apiKeyHandlers(deps: ApiKeysDeps) {
  const { keys, lastIssued } = deps;
  const view = ({ tenantId }: Context, row: ApiKeyView, code?: string) => {
    const lastIssuedAt = lastIssued.of(row.id) ?? row.last_issued_at;
    return toApiKey(row, { tenantId, lastIssuedAt, code });
  };

  return implement(api.apiKeys, {
    async issue(context) {
      const code = apiKeyHeader(context);
      try {
        return await deps.issue(code, context.hostTenant);
      } catch (error) {
        throw countedFailure(deps.failures, context.address, code, error);
      }
    },

    async list(context, { query }) {
      const page = paging(query, SORTABLE);
      const pattern = likePattern(query.name, '/query/name');
      const environment = context.principal.environment === 'test' ? 'test' : undefined;
      const days = query.expiringWithinDays;
      const expiry = days && { expiresAfter: context.now, expiresUntil: context.now + days * DAY };
      const { rows, total } = await pageApiKeys(context.db, { pattern, environment, ...expiry }, page);
      return toPage(await mapInSlices(context.db, rows, (row) => view(context, row)), total, page);
    },

    create: mayRunAgain(async (context, { body }) => {
      const { row, code } = newKeyRow(deps.pepper, context.now, actor(context.principal), newKeyOf(context, body));
      await context.db.write((tx) => storeNewKey(tx, row));
      return view(context, row, code);
    }),

    async get(context, { params }) {
      return view(context, ensureSeen(context.principal, await findApiKeyView(context.db, { id: params.apiKeyId })));
    },

    async update(context, { params, body }) {
      const changed = await context.db.write(async (tx) => {
        const before = ensureSeen(context.principal, await findApiKeyForUpdate(tx, { id: params.apiKeyId }));
        const after = changedRow(context, before, body);
        await ensureUniqueName('API key', after.name, () => changeApiKey(tx, after));
        tx.afterCommit(() => keys.forget(after.id));
        return after;
      });
      return view(context, changed);
    },

    async delete(context, { params }) {
      await context.db.write(async (tx) => {
        const row = ensureSeen(context.principal, await findApiKeyForUpdate(tx, { id: params.apiKeyId }));
        ensureHoldsAll(context.principal, row);
        await removeApiKey(tx, row.id);
        tx.afterCommit(() => keys.forget(row.id));
      });
      return undefined;
    },
  });
}

/** The new key of a request. Ensures that the caller may create it. */
function newKeyOf(
  { principal, tenantId, now }: Context,
  body: Change & { name: string; environment?: Environment },
): NewKey {
  const { environment = principal.environment, permissions = [], type = 'PERMANENT', status = 'ACTIVE' } = body;
  checkEnvironment(principal, environment);
  checkPermissions(tenantId, permissions);
  checkGrants(principal, permissions);
  checkSight(principal, permissions);
  const expiring_at = checkExpiry(type, { ...expiry(body), changesType: true }, null, now);
  return {
    environment,
    type,
    name: body.name,
    description: body.description ?? null,
    status,
    permissions,
    expiring_at,
  };
}

type Environment = ApiKeyRow['environment'];

type Change = Body<typeof api.apiKeys.update>;

/** The row after a change. Ensures that every rule holds for the result as a whole. */
function changedRow({ principal, tenantId, now }: Context, before: ApiKeyRow, change: Change): ApiKeyRow {
  const type = change.type ?? before.type;
  const name = change.name ?? before.name;
  const status = change.status ?? before.status;
  const own = JSON.parse(before.permissions) as string[];
  const permissions = change.permissions ?? own;
  if (change.permissions) checkPermissions(tenantId, change.permissions, own);
  const changesType = change.type !== undefined && change.type !== before.type;
  const after: ApiKeyRow = {
    ...before,
    type,
    name,
    name_folded: fold(name),
    description: change.description ?? before.description,
    status,
    permissions: JSON.stringify(permissions),
    expiring_at: checkExpiry(type, { ...expiry(change), changesType }, before.expiring_at, now),
    ...updateOf({ principal, now }),
  };
  if (!onlyBlocks(before, after)) ensureHoldsAll(principal, before);
  if (status === 'ACTIVE' || change.permissions) {
    checkGrants(principal, permissions);
    checkSight(principal, permissions);
  }
  return after;
}

/** Whether a change blocks the key and changes nothing else. */
function onlyBlocks(before: ApiKeyRow, after: ApiKeyRow): boolean {
  const isSame = (['type', 'name', 'description', 'permissions', 'expiring_at'] as const).every(
    (column) => before[column] === after[column],
  );
  return isSame && after.status === 'BLOCKED';
}

/**
 * Ensures that a caller changes and deletes only keys whose permissions it holds. Every caller who may update keys may
 * block one, because anybody who notices a leaked key must be able to stop it, and blocking can be undone.
 */
function ensureHoldsAll({ permissions }: Principal, { permissions: json }: ApiKeyRow): void {
  const keyPermissions = JSON.parse(json) as string[];
  if (keyPermissions.every((permission) => permissions.holds(withoutTenant(permission)))) return;
  throw new ApiError(100015, {
    detail: 'the key has permissions that the caller does not have; the caller can only block it',
  });
}

function expiry({ expiringDtm }: Change): { expiringDtm?: string | null } {
  return expiringDtm === undefined ? {} : { expiringDtm };
}

export type NewKey = Pick<ApiKeyRow, 'environment' | 'type' | 'name' | 'description' | 'status' | 'expiring_at'> & {
  permissions: readonly string[];
};

/** A new row, and its secret, which is stored nowhere. */
export function newKeyRow(pepper: VersionedKey, now: number, by: string, key: NewKey) {
  const id = newId(now);
  const code = newApiKeySecret(key.environment, id);
  const row: ApiKeyRow = {
    ...key,
    id,
    name_folded: fold(key.name),
    permissions: JSON.stringify(key.permissions),
    secret_hash: hashApiKey(pepper.key, code),
    pepper_version: pepper.version,
    ...creation(by, now),
    last_issued_at: null,
  };
  return { row, code };
}

export async function storeNewKey(tx: TenantTx, row: ApiKeyRow): Promise<void> {
  const limit = row.environment === 'live' ? MAX_API_KEYS_PER_TENANT : MAX_API_KEYS_PER_TENANT - RESERVED_FOR_LIVE;
  const hasRoom = await isBelowLimit(tx, { of: ['api_keys'], limit, count: () => countApiKeys(tx) });
  if (!hasRoom) throw new ApiError(100017);
  await ensureUniqueName('API key', row.name, () => addApiKey(tx, row));
}

function checkEnvironment(caller: Principal, environment: 'live' | 'test'): void {
  if (caller.environment === 'test' && environment === 'live') {
    throw invalidInput({ pointer: '/environment', message: 'must be test, because the caller is a test key' });
  }
}

/** Ensures that a test caller learns nothing of live keys: they are treated as missing. */
function ensureSeen<Row extends { environment: Environment }>(caller: Principal, row: Row | undefined): Row {
  if (!row || (caller.environment === 'test' && row.environment === 'live')) throw new ApiError(130);
  return row;
}

/** Clients use two spellings of the header. If both are sent, they must agree. */
function apiKeyHeader(context: OpenContext): string | undefined {
  const one = context.header('x-api-key');
  const other = context.header('x-apikey');
  if (one !== undefined && other !== undefined && one !== other) throw new ApiError(271);
  return one ?? other;
}

/** Limits failed exchanges by address and by key. A caller with the right secret is never locked out by others. */
function countedFailure(
  failures: RateLimiter | undefined,
  address: string,
  code: string | undefined,
  error: unknown,
): unknown {
  if (!failures || !(error instanceof ApiError) || error.code !== 271) return error;
  const callers = [`address ${address}`, `key ${(code && parseApiKey(code)?.keyId) ?? 'none'}`];
  const waits = callers.map((caller) => failures.take(caller).retryAfterSeconds);
  const retryAfterSeconds = Math.max(...waits);
  return retryAfterSeconds > 0
    ? new ApiError(100007, { retryAfterSeconds, detail: 'too many failed attempts' })
    : error;
}

type View = { tenantId: TenantId; lastIssuedAt: number | null; code?: string | undefined };

/** The view of a key. Its secret is masked unless the key was created just now. */
export function toApiKey(row: ApiKeyView, { tenantId, lastIssuedAt, code }: View): Static<typeof ApiKey> {
  const { permissions, permittedOperations } = openPermissions(tenantId, row.permissions);
  const createdDtm = toDtm(row.created_at);
  const { description, expiring_at } = row;
  // All views have the same members in the same order, which is fast to write; undefined ones are not written.
  const view: { [K in keyof Static<typeof ApiKey>]: Static<typeof ApiKey>[K] | undefined } = {
    id: row.id,
    environment: row.environment,
    type: row.type,
    code: code ?? maskedCode(row.environment, row.id),
    name: row.name,
    description: description === null ? undefined : description,
    status: row.status,
    permissions,
    permittedOperations,
    createdDtm,
    lastUpdatedDtm: row.last_updated_at === row.created_at ? createdDtm : toDtm(row.last_updated_at),
    createdBy: row.created_by,
    lastUpdatedBy: row.last_updated_by,
    expiringDtm: expiring_at === null ? undefined : toDtm(expiring_at),
    lastIssuedAtDtm: lastIssuedAt === null ? undefined : toDtm(lastIssuedAt),
  };
  return view as Static<typeof ApiKey>;
}
