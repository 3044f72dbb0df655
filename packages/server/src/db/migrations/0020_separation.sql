-- Configuration belongs to the environment of the key that made it. What was there serves live callers.
ALTER TABLE process_definitions ADD COLUMN environment TEXT NOT NULL DEFAULT 'live';
DROP INDEX process_definitions_version;
CREATE UNIQUE INDEX process_definitions_version ON process_definitions (tenant_id, environment, name, version);

-- A tag is on one definition at a time in each environment. SQLite cannot change a primary key; PostgreSQL can, and would
-- show none of the rows of a tenant to a statement that copies them.
/*postgres ALTER TABLE process_definition_tags ADD COLUMN environment TEXT NOT NULL DEFAULT 'live';
ALTER TABLE process_definition_tags DROP CONSTRAINT process_definition_tags_pkey;
ALTER TABLE process_definition_tags ADD PRIMARY KEY (tenant_id, environment, name);
*/
/*sqlite CREATE TABLE new_tags (
  tenant_id     TEXT   NOT NULL REFERENCES tenants (id),
  environment   TEXT   NOT NULL DEFAULT 'live',
  name          TEXT   NOT NULL,
  name_folded   TEXT   NOT NULL,
  definition_id TEXT   NOT NULL,
  created_at    BIGINT NOT NULL,
  created_by    TEXT   NOT NULL,
  PRIMARY KEY (tenant_id, environment, name),
  FOREIGN KEY (tenant_id, definition_id) REFERENCES process_definitions (tenant_id, id) ON DELETE CASCADE
);
INSERT INTO new_tags (tenant_id, name, name_folded, definition_id, created_at, created_by)
  SELECT tenant_id, name, name_folded, definition_id, created_at, created_by FROM process_definition_tags;
DROP TABLE process_definition_tags;
ALTER TABLE new_tags RENAME TO process_definition_tags;
CREATE INDEX process_definition_tags_definition ON process_definition_tags (tenant_id, definition_id);
*/

ALTER TABLE themes ADD COLUMN environment TEXT NOT NULL DEFAULT 'live';
DROP INDEX themes_name;
CREATE UNIQUE INDEX themes_name ON themes (tenant_id, environment, name);

ALTER TABLE custom_pages ADD COLUMN environment TEXT NOT NULL DEFAULT 'live';
DROP INDEX custom_pages_version;
CREATE UNIQUE INDEX custom_pages_version ON custom_pages (tenant_id, environment, name, version);

ALTER TABLE cloud_secrets ADD COLUMN environment TEXT NOT NULL DEFAULT 'live';
-- The hosts it may be sent to, a JSON array. None: the secret is older than this column and may be sent to any host.
ALTER TABLE cloud_secrets ADD COLUMN hosts TEXT;
DROP INDEX cloud_secrets_name;
CREATE UNIQUE INDEX cloud_secrets_name ON cloud_secrets (tenant_id, environment, name);

-- A test key must not take a name that a live caller wants.
DROP INDEX process_tokens_name;
CREATE UNIQUE INDEX process_tokens_name ON process_tokens (tenant_id, environment, name);

-- What was changed, and which fields of it, a JSON object. Never a secret, never what a person said.
ALTER TABLE audit_events ADD COLUMN details TEXT;
