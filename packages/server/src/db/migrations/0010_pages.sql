-- Pages of the tenant's own. A version's files never change. Not personal data: in rows, so that every server and every
-- backup has them.
CREATE TABLE custom_pages (
  tenant_id       TEXT    NOT NULL REFERENCES tenants (id),
  id              TEXT    /*postgres COLLATE "C"*/ NOT NULL,
  name            TEXT    NOT NULL,
  name_folded     TEXT    /*postgres COLLATE "C"*/ NOT NULL,
  version         INTEGER NOT NULL,
  -- EDITABLE, DEPLOYED_ACTIVE, ARCHIVED.
  status          TEXT    NOT NULL,
  description     TEXT,
  -- Of the tenant, the paths and the contents: part of the address it is shown at.
  hash            TEXT    NOT NULL,
  num_files       INTEGER NOT NULL,
  total_bytes     INTEGER NOT NULL,
  -- Of the address that shows it whatever its status, until then.
  preview_hash    TEXT,
  preview_until   BIGINT,
  created_at      BIGINT  NOT NULL,
  created_by      TEXT    NOT NULL,
  last_updated_at BIGINT  NOT NULL,
  last_updated_by TEXT    NOT NULL,
  deployed_at     BIGINT,
  PRIMARY KEY (tenant_id, id)
);

CREATE UNIQUE INDEX custom_pages_version ON custom_pages (tenant_id, name, version);
CREATE INDEX custom_pages_hash ON custom_pages (tenant_id, hash);
CREATE INDEX custom_pages_preview ON custom_pages (tenant_id, preview_hash) WHERE preview_hash IS NOT NULL;

-- What a version consists of.
CREATE TABLE custom_page_files (
  tenant_id    TEXT    NOT NULL REFERENCES tenants (id),
  page_id      TEXT    /*postgres COLLATE "C"*/ NOT NULL,
  path         TEXT    /*postgres COLLATE "C"*/ NOT NULL,
  content_type TEXT    NOT NULL,
  bytes        INTEGER NOT NULL,
  sha256       TEXT    NOT NULL,
  PRIMARY KEY (tenant_id, page_id, path),
  FOREIGN KEY (tenant_id, page_id) REFERENCES custom_pages (tenant_id, id) ON DELETE CASCADE
) /*sqlite WITHOUT ROWID*/;

CREATE INDEX custom_page_files_content ON custom_page_files (tenant_id, sha256);

-- Contents, each once in a tenant, whatever has them.
CREATE TABLE custom_page_contents (
  tenant_id TEXT  NOT NULL REFERENCES tenants (id),
  sha256    TEXT  NOT NULL,
  content   BYTEA NOT NULL,
  PRIMARY KEY (tenant_id, sha256)
);

CREATE TABLE themes (
  tenant_id       TEXT   NOT NULL REFERENCES tenants (id),
  id              TEXT   NOT NULL,
  name            TEXT   NOT NULL,
  name_folded     TEXT   /*postgres COLLATE "C"*/ NOT NULL,
  -- Palettes, radius and font, a JSON object.
  tokens          TEXT   NOT NULL,
  created_at      BIGINT NOT NULL,
  created_by      TEXT   NOT NULL,
  last_updated_at BIGINT NOT NULL,
  last_updated_by TEXT   NOT NULL,
  PRIMARY KEY (tenant_id, id)
);

CREATE UNIQUE INDEX themes_name ON themes (tenant_id, name);

-- The logo and the font of a theme.
CREATE TABLE theme_assets (
  tenant_id    TEXT  NOT NULL REFERENCES tenants (id),
  theme_id     TEXT  NOT NULL,
  name         TEXT  NOT NULL,
  content_type TEXT  NOT NULL,
  sha256       TEXT  NOT NULL,
  content      BYTEA NOT NULL,
  PRIMARY KEY (tenant_id, theme_id, name),
  FOREIGN KEY (tenant_id, theme_id) REFERENCES themes (tenant_id, id) ON DELETE CASCADE
);
