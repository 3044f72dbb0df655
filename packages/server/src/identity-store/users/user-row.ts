/** TEMP_LOCKED is not stored: it is ACTIVE with a lock that has not run out. */
export type StoredStatus = 'ACTIVE' | 'LOCKED' | 'DISABLED' | 'PENDING_ACTIVE';

/** The columns of a user. Only the identity store knows them. */
export type UserRow = {
  id: string;
  store_id: string;
  /** As it was given. In the database it is a keyed hash, and the text is sealed beside it. */
  ext_id: string | null;
  /** Empty if there is none. In the database it is a code. */
  ext_id_folded: string;
  /** Of a row that was read: what the database has in place of the external id. */
  ext_key?: string | null;
  status: StoredStatus;
  temp_lock_until: number | null;
  /** The attributes, sealed for the user. */
  sealed: Uint8Array | null;
  locale: string | null;
  time_zone: string | null;
  created_at: number;
  last_updated_at: number;
  last_success_at: number | null;
};

/** How an address names a user. */
export type UserRef =
  | { readonly userId: string; readonly userExtId?: undefined }
  | { readonly userExtId: string; readonly userId?: undefined };
