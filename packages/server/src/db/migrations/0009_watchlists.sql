-- Whom to look out for. A match is for a human.
CREATE TABLE watchlists (
  tenant_id       TEXT    NOT NULL REFERENCES tenants (id),
  id              TEXT    /*postgres COLLATE "C"*/ NOT NULL,
  environment     TEXT    NOT NULL,
  name            TEXT    NOT NULL,
  name_folded     TEXT    /*postgres COLLATE "C"*/ NOT NULL,
  description     TEXT,
  -- FACE, DOCUMENT_NUMBER, EMAIL.
  type            TEXT    NOT NULL,
  -- ACTIVE, INACTIVE.
  status          TEXT    NOT NULL,
  max_size        INTEGER NOT NULL,
  num_members     INTEGER NOT NULL,
  -- A duration; none if members stay.
  expire_after    TEXT,
  -- Grows with every change of a member: who holds faces in memory sees by it that they are not those of now.
  revision        BIGINT  NOT NULL,
  created_at      BIGINT  NOT NULL,
  created_by      TEXT    NOT NULL,
  last_updated_at BIGINT  NOT NULL,
  last_updated_by TEXT    NOT NULL,
  PRIMARY KEY (tenant_id, id)
);

-- A definition that names a watchlist works in both environments, so each has its own of that name.
CREATE UNIQUE INDEX watchlists_name ON watchlists (tenant_id, environment, name);

CREATE TABLE watchlist_members (
  tenant_id       TEXT    NOT NULL REFERENCES tenants (id),
  watchlist_id    TEXT    /*postgres COLLATE "C"*/ NOT NULL,
  id              TEXT    /*postgres COLLATE "C"*/ NOT NULL,
  -- The revision of the list that it was last changed by.
  revision        BIGINT  NOT NULL,
  -- As it is looked for and sorted by: folded.
  first_folded    TEXT    /*postgres COLLATE "C"*/ NOT NULL,
  last_folded     TEXT    /*postgres COLLATE "C"*/ NOT NULL,
  -- Names, addresses, note and value: JSON, sealed for the member.
  details         BYTEA   NOT NULL,
  -- Of a face: numbers, sealed for the member, and the way they were made.
  template        BYTEA,
  algorithm       TEXT,
  quality         DOUBLE PRECISION,
  -- Of a value: a keyed hash of how it is spelt when all spellings are one.
  value_hash      BYTEA,
  expires_at      BIGINT,
  created_at      BIGINT  NOT NULL,
  created_by      TEXT    NOT NULL,
  last_updated_at BIGINT  NOT NULL,
  last_updated_by TEXT    NOT NULL,
  PRIMARY KEY (tenant_id, watchlist_id, id),
  FOREIGN KEY (tenant_id, watchlist_id) REFERENCES watchlists (tenant_id, id) ON DELETE CASCADE
);

CREATE UNIQUE INDEX watchlist_members_value ON watchlist_members (tenant_id, watchlist_id, value_hash)
  WHERE value_hash IS NOT NULL;
CREATE INDEX watchlist_members_expiring ON watchlist_members (tenant_id, expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX watchlist_members_name ON watchlist_members (tenant_id, watchlist_id, last_folded, id);
