import { bytes, integer, optional, type RowOf, table, text } from '../../db/sql/table.ts';

/** TEMP_LOCKED is not stored: it is ACTIVE with a lock that has not run out. */
export type StoredStatus = 'ACTIVE' | 'LOCKED' | 'DISABLED' | 'PENDING_ACTIVE';

/** Only the identity store knows it. */
export const users = table('identity_users', {
  tenant_id: text(),
  id: text(),
  store_id: text(),
  /** In the database it is a keyed hash, and the text is sealed beside it; in a row it is as the caller gave it. */
  ext_id: optional(text()),
  /** Empty if there is none. In the database it is a code. */
  ext_id_folded: text(),
  ext_sealed: optional(bytes()),
  status: text<StoredStatus>(),
  /** When the lock was set; null where an earlier release set it. */
  temp_lock_at: optional(integer()),
  temp_lock_until: optional(integer()),
  /** The attributes, sealed for the user. */
  sealed: optional(bytes()),
  locale: optional(text()),
  time_zone: optional(text()),
  created_at: integer(),
  last_updated_at: integer(),
  last_success_at: optional(integer()),
});

export type UserRow = Omit<RowOf<typeof users>, 'ext_sealed'> & {
  ext_sealed?: Uint8Array | null;
  /** Of a row that was read: what the database has in place of the external id. */
  ext_key?: string | null;
};

/** How an address names a user. */
export type UserRef =
  | { readonly userId: string; readonly userExtId?: undefined }
  | { readonly userExtId: string; readonly userId?: undefined };
