import { bytes, integer, optional, type RowOf, table, text } from '../../db/sql/table.ts';

/** TEMP_LOCKED is not stored: it is ACTIVE with a lock that has not expired. */
export type StoredStatus = 'ACTIVE' | 'LOCKED' | 'DISABLED' | 'PENDING_ACTIVE';

/** Only the identity store reads and writes this table. */
export const users = table('identity_users', {
  tenant_id: text(),
  id: text(),
  store_id: text(),
  /**
   * The database holds a keyed hash here, with the sealed text in `ext_sealed`. After reading, it is the text of the
   * caller.
   */
  ext_id: optional(text()),
  /** Empty if the user has no external id. The database holds a code here. */
  ext_id_folded: text(),
  ext_sealed: optional(bytes()),
  status: text<StoredStatus>(),
  /** When the lock was set; null if an earlier release set it. */
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
  /** After reading: the value that the database stores in place of the external id. */
  ext_key?: string | null;
};

/** How a path names a user. */
export type UserRef =
  | { readonly userId: string; readonly userExtId?: undefined }
  | { readonly userExtId: string; readonly userId?: undefined };
