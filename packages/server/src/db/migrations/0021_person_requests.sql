-- Requests about one person: found or erased wherever a feature holds something of them.
CREATE TABLE person_requests (
  tenant_id    TEXT    NOT NULL REFERENCES tenants (id),
  id           TEXT    /*postgres COLLATE "C"*/ NOT NULL,
  environment  TEXT    NOT NULL,
  -- FIND, ERASE.
  action       TEXT    NOT NULL,
  -- SEARCHING, ERASING, DONE, FAILED.
  state        TEXT    NOT NULL,
  reason       TEXT,
  -- A number of the caller's own.
  reference    TEXT,
  -- By what the person is known: JSON, sealed for the request; none once it is done.
  selectors    BYTEA,
  -- Where the search stands: a source, and the last id that was looked at.
  source       INTEGER NOT NULL,
  after_id     TEXT    NOT NULL,
  searched     INTEGER NOT NULL,
  total        INTEGER NOT NULL,
  created_at   BIGINT  NOT NULL,
  created_by   TEXT    NOT NULL,
  confirmed_at BIGINT,
  receipt      TEXT,
  PRIMARY KEY (tenant_id, id)
);

-- What a request found: ids and nothing of a person.
CREATE TABLE person_request_items (
  tenant_id  TEXT    NOT NULL REFERENCES tenants (id),
  request_id TEXT    /*postgres COLLATE "C"*/ NOT NULL,
  kind       TEXT    NOT NULL,
  item_id    TEXT    /*postgres COLLATE "C"*/ NOT NULL,
  erased     INTEGER NOT NULL,
  PRIMARY KEY (tenant_id, request_id, kind, item_id),
  FOREIGN KEY (tenant_id, request_id) REFERENCES person_requests (tenant_id, id) ON DELETE CASCADE
) /*sqlite WITHOUT ROWID*/;
