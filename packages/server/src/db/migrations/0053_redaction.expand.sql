-- When everything personal of an instance was removed while its verdict stays. None if it was not.
ALTER TABLE process_instances ADD COLUMN redacted_at BIGINT;

-- Whether a token has an instance that was neither deleted nor redacted.
CREATE INDEX process_instances_token_person ON process_instances (tenant_id, token_id, redacted_at)
  WHERE token_id IS NOT NULL AND redacted_at IS NULL;

-- What became of a redacted instance: the columns of erasures, and the reason REDACTION. A redacted instance can be deleted
-- later, so both tables may have a row of it.
CREATE TABLE redactions (
  tenant_id     TEXT    NOT NULL REFERENCES tenants (id),
  instance_id   TEXT    NOT NULL,
  environment   TEXT    NOT NULL,
  definition_id TEXT    NOT NULL,
  -- ERASING until the blobs are gone, then ERASED.
  state         TEXT    NOT NULL,
  reason        TEXT    NOT NULL,
  created_at    BIGINT  NOT NULL,
  deleted_at    BIGINT  NOT NULL,
  deleted_by    TEXT    NOT NULL,
  rows_removed  INTEGER NOT NULL,
  blobs_removed INTEGER NOT NULL,
  -- The keys of the blobs that may still be there, a JSON array; empty once it is ERASED.
  blob_keys     TEXT    NOT NULL,
  confirmed_at  BIGINT,
  -- A JWS over the row as it was confirmed.
  receipt       TEXT,
  PRIMARY KEY (tenant_id, instance_id)
);

CREATE INDEX redactions_unfinished ON redactions (tenant_id, deleted_at, instance_id) WHERE state = 'ERASING';

-- The instance that a stored answer may tell about: the answer goes with the data of its end user.
ALTER TABLE idempotency_keys ADD COLUMN instance_id TEXT;
CREATE INDEX idempotency_keys_instance ON idempotency_keys (tenant_id, instance_id) WHERE instance_id IS NOT NULL;
