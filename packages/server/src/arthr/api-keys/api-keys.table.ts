import { bytes, integer, optional, type RowOf, TRACKED, table, text } from '../../db/sql/table.ts';
import type { Environment } from '../../kernel/environment.ts';

export type ApiKeyStatus = 'ACTIVE' | 'BLOCKED' | 'ARCHIVED';
export type ApiKeyType = 'PERMANENT' | 'SESSION';

/** The columns that callers may see. */
const view = {
  id: text(),
  environment: text<Environment>(),
  type: text<ApiKeyType>(),
  name: text(),
  description: optional(text()),
  status: text<ApiKeyStatus>(),
  permissions: text(),
  ...TRACKED,
  expiring_at: optional(integer()),
  last_issued_at: optional(integer()),
};

export const apiKeys = table('api_keys', {
  tenant_id: text(),
  ...view,
  name_folded: text(),
  secret_hash: bytes(),
  pepper_version: integer(),
});
export const VIEW = Object.keys(view) as (keyof typeof view)[];
/** The columns that an update stores. */
export const CHANGEABLE = [
  'type',
  'name',
  'name_folded',
  'description',
  'status',
  'permissions',
  'last_updated_at',
  'last_updated_by',
  'expiring_at',
] as const;
export type ApiKeyRow = RowOf<typeof apiKeys>;
export type ApiKeyView = Pick<ApiKeyRow, keyof typeof view>;

export const keyTenants = table('key_tenants', { key_id: text(), owner_tenant_id: text() });

/** The properties by which a list can be sorted. Absent values come first, on both engines. */
export const SORTABLE = {
  id: 'id',
  name: 'name_folded',
  description: "coalesce(description, '')",
  type: 'type',
  status: 'status',
  createdDtm: 'created_at',
  lastUpdatedDtm: 'last_updated_at',
  createdBy: 'created_by',
  lastUpdatedBy: 'last_updated_by',
  expiringDtm: 'coalesce(expiring_at, 0)',
  lastIssuedAtDtm: 'coalesce(last_issued_at, 0)',
} as const;
