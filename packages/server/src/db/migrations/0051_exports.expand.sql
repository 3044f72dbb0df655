-- Lists of instances that are prepared as a file. The parts hold ids alone; what is known of persons is read when the file
-- is downloaded, so an export keeps nothing of an instance that was deleted.
CREATE TABLE exports (
  tenant_id   TEXT    NOT NULL REFERENCES tenants (id),
  id          TEXT    /*postgres COLLATE "C"*/ NOT NULL,
  environment TEXT    NOT NULL,
  -- The operator or the API key that it belongs to.
  caller_id   TEXT    NOT NULL,
  -- CSV, JSON.
  format      TEXT    NOT NULL,
  -- RUNNING, DONE, FAILED.
  state       TEXT    NOT NULL,
  -- The filters: JSON, sealed, because a search may name a person.
  filters     BYTEA   NOT NULL,
  -- The last id that was found.
  after_id    TEXT    NOT NULL,
  num_parts   INTEGER NOT NULL,
  num_rows    INTEGER NOT NULL,
  total       INTEGER NOT NULL,
  -- 1 if there were more than an export may hold.
  truncated   INTEGER NOT NULL,
  created_at  BIGINT  NOT NULL,
  created_by  TEXT    NOT NULL,
  expires_at  BIGINT  NOT NULL,
  PRIMARY KEY (tenant_id, id)
);

CREATE TABLE export_parts (
  tenant_id TEXT    NOT NULL REFERENCES tenants (id),
  export_id TEXT    /*postgres COLLATE "C"*/ NOT NULL,
  part      INTEGER NOT NULL,
  -- A JSON array of ids.
  ids       TEXT    NOT NULL,
  PRIMARY KEY (tenant_id, export_id, part),
  FOREIGN KEY (tenant_id, export_id) REFERENCES exports (tenant_id, id) ON DELETE CASCADE
);

-- From where somebody did it: the address of the caller, of IPv6 its network. None for what the server does by itself.
ALTER TABLE audit_events ADD COLUMN address TEXT;
