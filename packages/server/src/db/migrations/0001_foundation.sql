-- Tables without tenant_id belong to the installation; every other key begins with tenant_id, so that data can be
-- sharded by tenant and row-level security can be forced on it.

CREATE TABLE tenants (
  id         TEXT   NOT NULL PRIMARY KEY,
  name       TEXT   NOT NULL,
  status     TEXT   NOT NULL,
  created_at BIGINT NOT NULL
);

-- Sealed by the master key.
CREATE TABLE system_secrets (
  name       TEXT    NOT NULL,
  version    INTEGER NOT NULL,
  sealed     BYTEA   NOT NULL,
  created_at BIGINT  NOT NULL,
  PRIMARY KEY (name, version)
);

-- The private half is the system secret `signing-key:<kid>`.
CREATE TABLE signing_keys (
  kid        TEXT   NOT NULL PRIMARY KEY,
  public_key TEXT   NOT NULL,
  created_at BIGINT NOT NULL,
  -- When a newer key took over. The key is published until every token it signed has expired.
  retired_at BIGINT
);

-- Which tenant an API key belongs to, so that a key alone is enough to find its tenant.
CREATE TABLE key_tenants (
  key_id          TEXT NOT NULL PRIMARY KEY,
  owner_tenant_id TEXT NOT NULL REFERENCES tenants (id)
) /*sqlite WITHOUT ROWID*/;

-- Sealed by the master key; each seals the tenant's data keys.
CREATE TABLE tenant_keys (
  tenant_id  TEXT    NOT NULL REFERENCES tenants (id),
  version    INTEGER NOT NULL,
  sealed     BYTEA   NOT NULL,
  created_at BIGINT  NOT NULL,
  PRIMARY KEY (tenant_id, version)
);

-- One key for each subject; to destroy it is to make everything sealed with it unreadable.
CREATE TABLE data_keys (
  tenant_id  TEXT   NOT NULL REFERENCES tenants (id),
  subject    TEXT   NOT NULL,
  sealed     BYTEA  NOT NULL,
  created_at BIGINT NOT NULL,
  PRIMARY KEY (tenant_id, subject)
);

CREATE TABLE api_keys (
  tenant_id       TEXT    NOT NULL REFERENCES tenants (id),
  id              TEXT    NOT NULL,
  environment     TEXT    NOT NULL,
  type            TEXT    NOT NULL,
  name            TEXT    NOT NULL,
  name_folded     TEXT    /*postgres COLLATE "C"*/ NOT NULL,
  description     TEXT,
  status          TEXT    NOT NULL,
  permissions     TEXT    NOT NULL,
  secret_hash     BYTEA   NOT NULL,
  pepper_version  INTEGER NOT NULL,
  created_at      BIGINT  NOT NULL,
  last_updated_at BIGINT  NOT NULL,
  created_by      TEXT    NOT NULL,
  last_updated_by TEXT    NOT NULL,
  expiring_at     BIGINT,
  last_issued_at  BIGINT,
  PRIMARY KEY (tenant_id, id)
) /*sqlite WITHOUT ROWID*/;

CREATE UNIQUE INDEX api_keys_name ON api_keys (tenant_id, name) WHERE status <> 'ARCHIVED';
CREATE INDEX api_keys_name_folded ON api_keys (tenant_id, name_folded, id);

-- How many rows a list has: counting them is the whole cost of a first page. The number is the sum over the shards.
CREATE TABLE counters (
  tenant_id TEXT    NOT NULL REFERENCES tenants (id),
  name      TEXT    NOT NULL,
  shard     INTEGER NOT NULL,
  value     BIGINT  NOT NULL,
  PRIMARY KEY (tenant_id, name, shard)
) /*sqlite WITHOUT ROWID*/;

CREATE TABLE idempotency_keys (
  tenant_id    TEXT   NOT NULL REFERENCES tenants (id),
  operation    TEXT   NOT NULL,
  key          TEXT   NOT NULL,
  request_hash BYTEA  NOT NULL,
  -- The answer, sealed: it may hold a secret that is shown once.
  sealed       BYTEA  NOT NULL,
  created_at   BIGINT NOT NULL,
  PRIMARY KEY (tenant_id, operation, key)
);

CREATE INDEX idempotency_keys_created ON idempotency_keys (tenant_id, created_at);
