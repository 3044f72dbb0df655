-- Who read what of a person, and who decided or deleted. Ids and words of ours, never content.
CREATE TABLE audit_events (
  tenant_id   TEXT   NOT NULL REFERENCES tenants (id),
  environment TEXT   NOT NULL,
  -- A ULID of the moment in at: to order by id is to order by time.
  id          TEXT   /*postgres COLLATE "C"*/ NOT NULL,
  at          BIGINT NOT NULL,
  action      TEXT   NOT NULL,
  actor       TEXT   NOT NULL,
  api_key_id  TEXT,
  instance_id TEXT,
  item        TEXT,
  request_id  TEXT,
  PRIMARY KEY (tenant_id, environment, id)
) /*sqlite WITHOUT ROWID*/;

CREATE INDEX audit_events_instance ON audit_events (tenant_id, environment, instance_id, id);
CREATE INDEX audit_events_key ON audit_events (tenant_id, environment, api_key_id, id);
CREATE INDEX audit_events_action ON audit_events (tenant_id, environment, action, id);

-- What became of a deleted instance: one row beside each tombstone.
CREATE TABLE erasures (
  tenant_id     TEXT    NOT NULL REFERENCES tenants (id),
  instance_id   TEXT    NOT NULL,
  environment   TEXT    NOT NULL,
  definition_id TEXT    NOT NULL,
  -- ERASING until the blobs are gone, then ERASED.
  state         TEXT    NOT NULL,
  -- REQUEST or RETENTION.
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

CREATE INDEX erasures_unfinished ON erasures (tenant_id, deleted_at, instance_id) WHERE state = 'ERASING';

-- Whether a token has instances left.
CREATE INDEX process_instances_token ON process_instances (tenant_id, token_id) WHERE token_id IS NOT NULL;
